#pragma once

namespace masing::statistics {

/// Returns the half-width of the two-sided interval of confidence 95 % in multiples of the
/// standard error, by Student's distribution. Fewer degrees of freedom than 1 count as 1. Local.
double students_factor(double degrees_of_freedom);

/// Returns the probability, by Student's distribution, that an estimate deviates from the true
/// value by at least `ratio` ≥ 0 standard errors. Fewer degrees of freedom than 1 count as 1.
/// Local.
double students_chance(double ratio, double degrees_of_freedom);

/// Returns an upper bound of the standard deviation that is estimated as `scatter`: the upper end
/// of its one-sided interval of confidence 80 %, by the chi-squared distribution. Fewer degrees of
/// freedom than 1 count as 1. Local.
double largest_scatter(double scatter, double degrees_of_freedom);

}  // namespace masing::statistics
