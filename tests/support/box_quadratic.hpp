#pragma once

#include <petscmat.h>

namespace masing::support {

/// argmin_w ½ wᵀH w - bᵀw over the box |w_i| ≤ α_i for a symmetric positive definite H of any size
/// and form, by the bound-constrained Newton method of PETSc's TAO. The general resolvent where φ
/// is the indicatrix of a box: with H = K⁻¹, b = K⁻¹v it is the projection of v in the norm of K⁻¹.
/// `minimiser` holds the start and gets w. Throws SystemError where TAO does not converge.
/// Collective on the communicator of H.
void minimise_in_box(Mat hessian, Vec linear, Vec bound, Vec minimiser);

}  // namespace masing::support
