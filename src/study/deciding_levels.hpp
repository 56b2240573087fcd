#pragma once

#include <string>

#include "study/refinement.hpp"

namespace masing::study {

/// The levels, as --levels takes them ("first:last:count"), with which the orders that are
/// undecided would probably be decided; empty where none is. More levels where errors scatter about
/// the fit, so many that the statistical part of the interval is half the tolerance; finer ones
/// where the order still changes from level to level. None are so fine that errors reach the
/// round-off floor. Local.
std::string deciding_levels(const StudySpec& spec, const Study& study);

}  // namespace masing::study
