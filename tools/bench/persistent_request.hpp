#pragma once

#include <pat/pat.h>

#include "measure/must.hpp"
#include "tools/bench/collective.hpp"

namespace pat::bench {

/// A persistent request, made when it is first needed.
class PersistentRequest {
 public:
  PersistentRequest() = default;
  ~PersistentRequest() {
    if (request_ != PAT_REQUEST_NULL) PAT_Request_free(&request_);
  }
  PersistentRequest(const PersistentRequest&) = delete;
  PersistentRequest& operator=(const PersistentRequest&) = delete;
  /// Collective over the communicator of `call`; what PAT refuses ends the job there. `parts`: in
  /// how many pieces the data is handed over; 0: in one.
  void make(const CollectiveFunctions& functions, const Call& call, int parts) {
    if (request_ != PAT_REQUEST_NULL) return;
    measure::must_or_abort(functions.init(call, &request_), "the persistent form", call.comm);
    if (parts > 0)
      measure::must_or_abort(PAT_Request_parts(request_, parts), "PAT_Request_parts", call.comm);
  }
  PAT_Request get() const { return request_; }

 private:
  PAT_Request request_ = PAT_REQUEST_NULL;
};

}  // namespace pat::bench
