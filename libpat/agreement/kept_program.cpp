#include "libpat/agreement/kept_program.hpp"

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/links.hpp"

namespace pat::detail {
namespace {

bool has_early_receives(const Program& program) {
  const std::vector<bool> joined = after_join(program);
  for (std::size_t i = 0; i < program.ops.size(); ++i)
    if (!joined[i] && program.ops[i].kind == OpKind::recv && program.ops[i].target.length > 0)
      return true;
  return false;
}

}  // namespace

bool KeptProgram::same_settings(const Decision& decision, const std::vector<double>& links) const {
  return program_ && links_ == links && decision_.algorithm == decision.algorithm &&
         decision_.segments == decision.segments && decision_.variant == decision.variant &&
         decision_.window == decision.window;
}

std::shared_ptr<const Program> KeptProgram::find(const Decision& decision,
                                                 const ArrivalPattern* fresh,
                                                 const std::vector<double>& links) const {
  if (!same_settings(decision, links) || decision_.cost != decision.cost) return nullptr;
  if (fresh_.has_value() != (fresh != nullptr)) return nullptr;
  const bool same = fresh_
                        ? fresh_->offset_s == fresh->offset_s
                        : decision_.tick_s == decision.tick_s && decision_.ticks == decision.ticks;
  return same ? program_ : nullptr;
}

std::shared_ptr<const Program> KeptProgram::get(const Problem& problem, const Decision& decision,
                                                const ArrivalPattern* fresh) {
  const Algorithm& algorithm = decision.chosen();
  const ArrivalPattern pattern = fresh != nullptr ? *fresh : decision.pattern();
  std::vector<std::uint32_t> key;
  if (algorithm.key != nullptr) key = algorithm.key(problem, behind_slow_links(problem, pattern));
  if (key.empty() || key != key_ || !same_settings(decision, problem.link_slowdown)) {
    Schedule schedule = build_schedule(algorithm, problem, pattern);
    program_ = std::make_shared<Program>(
        std::move(schedule.programs[static_cast<std::size_t>(problem.only_rank)]));
    moves_early_ = has_early_receives(*program_);
    ++built_;
  }
  decision_ = decision;
  links_ = problem.link_slowdown;
  fresh_.reset();
  if (fresh != nullptr) fresh_ = *fresh;
  key_ = std::move(key);
  return program_;
}

}  // namespace pat::detail
