#include "support/box_quadratic.hpp"

#include <petsctao.h>

#include <memory>
#include <string>

#include "base/error.hpp"
#include "parallel/communicator.hpp"

namespace masing::support {

namespace {

struct Quadratic {
  Mat hessian;
  Vec linear;
};

/// ½ wᵀH w - bᵀw and its gradient H w - b.
PetscErrorCode evaluate(Tao /*tao*/, Vec point, PetscReal* value, Vec gradient, void* data) {
  const auto& quadratic = *static_cast<const Quadratic*>(data);
  PetscScalar curved = 0.0;
  PetscScalar straight = 0.0;
  PetscCall(MatMult(quadratic.hessian, point, gradient));
  PetscCall(VecDot(gradient, point, &curved));
  PetscCall(VecDot(quadratic.linear, point, &straight));
  PetscCall(VecAXPY(gradient, -1.0, quadratic.linear));
  *value = 0.5 * curved - straight;
  return 0;
}

PetscErrorCode keep_hessian(Tao /*tao*/, Vec /*point*/, Mat /*hessian*/, Mat /*preconditioner*/,
                            void* /*data*/) {
  return 0;
}

struct DestroyTao {
  void operator()(Tao tao) const { TaoDestroy(&tao); }
};
struct DestroyVec {
  void operator()(Vec vec) const { VecDestroy(&vec); }
};
using OwnedTao = std::unique_ptr<std::remove_pointer_t<Tao>, DestroyTao>;
using OwnedVec = std::unique_ptr<std::remove_pointer_t<Vec>, DestroyVec>;

OwnedVec negative(Vec bound) {
  Vec copy = nullptr;
  parallel::check_petsc(VecDuplicate(bound, &copy));
  OwnedVec owner(copy);
  parallel::check_petsc(VecCopy(bound, copy));
  parallel::check_petsc(VecScale(copy, -1.0));
  return owner;
}

}  // namespace

void minimise_in_box(Mat hessian, Vec linear, Vec bound, Vec minimiser) {
  Quadratic quadratic{hessian, linear};
  const OwnedVec least = negative(bound);
  Tao tao = nullptr;
  parallel::check_petsc(TaoCreate(PetscObjectComm(reinterpret_cast<PetscObject>(hessian)), &tao));
  const OwnedTao owner(tao);
  parallel::check_petsc(TaoSetType(tao, TAOBNLS));
  parallel::check_petsc(TaoSetObjectiveAndGradient(tao, nullptr, evaluate, &quadratic));
  parallel::check_petsc(TaoSetHessian(tao, hessian, hessian, keep_hessian, nullptr));
  parallel::check_petsc(TaoSetVariableBounds(tao, least.get(), bound));
  // Relative to the gradient at the start, or none at all where the start is the minimum.
  parallel::check_petsc(TaoSetTolerances(tao, 1e-13, 1e-13, 1e-13));
  parallel::check_petsc(TaoSetSolution(tao, minimiser));
  parallel::check_petsc(TaoSolve(tao));
  TaoConvergedReason reason = TAO_CONTINUE_ITERATING;
  parallel::check_petsc(TaoGetConvergedReason(tao, &reason));
  if (reason < 0) {
    throw base::SystemError("TAO found no minimum in the box: " +
                            std::string(TaoConvergedReasons[reason]));
  }
}

}  // namespace masing::support
