#pragma once

#include <memory>

#include "collectives/nonclairvoyant/method.hpp"

namespace pat::nonclairvoyant {

std::unique_ptr<Method> make_tree_dyn(int processors);

}  // namespace pat::nonclairvoyant
