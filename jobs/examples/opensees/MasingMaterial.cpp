#include "MasingMaterial.h"

#include <Channel.h>
#include <ID.h>
#include <Vector.h>
#include <elementAPI.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <vector>

// Of your own: one that SRC/classTags.h does not have. In runs on several processors the broker
// (SRC/actor/objectBroker/FEM_ObjectBrokerAllClasses.cpp) makes a MasingMaterial() for it.
static const int MAT_TAG_Masing = 5001;

// One for all that have these parameters, as long as one of them lives; else null.
static std::shared_ptr<masing_material> materialOf(const double p[4]) {
  static std::map<std::array<double, 4>, std::weak_ptr<masing_material>> made;
  std::weak_ptr<masing_material>& known = made[{{p[0], p[1], p[2], p[3]}}];
  std::shared_ptr<masing_material> material = known.lock();
  if (!material) {
    char stiffness[32], threshold[80];
    std::snprintf(stiffness, sizeof stiffness, "%.17g", p[0] * (1 - p[3]));
    std::snprintf(threshold, sizeof threshold, "points:0 %.17g; 1 %.17g", p[1], p[2]);
    material.reset(masing_material_continuum(stiffness, threshold, 0, 0, p[0] * p[3]),
                   masing_material_free);
    known = material;
  }
  return material;
}

// A negative value tells OpenSees that the step has failed.
static int done(int fault) {
  if (fault) {
    opserr << "MasingMaterial: " << masing_last_error() << endln;
  }
  return fault ? -1 : 0;
}

MasingMaterial::MasingMaterial()
    : UniaxialMaterial(0, MAT_TAG_Masing),
      parameters(),
      point(0, masing_point_free),
      trialStrain(0.0),
      trialStress(0.0),
      trialTangent(0.0) {}

MasingMaterial::MasingMaterial(int tag, double E, double epsFirst, double epsLast, double b)
    : MasingMaterial() {
  const double p[4] = {E, epsFirst, epsLast, b};
  setTag(tag);
  if (make(p)) {
    throw std::invalid_argument(masing_last_error());
  }
}

// The material of these parameters at its start; where they have none, all stays as it was.
int MasingMaterial::make(const double p[4]) {
  const std::shared_ptr<masing_material> found = materialOf(p);
  masing_point* start = found ? masing_point_new(found.get(), 0.0) : 0;
  if (!start) {
    return MASING_MISTAKE;
  }
  material = found;
  point.reset(start);
  std::copy(p, p + 4, parameters);
  return revertToLastCommit();
}

int MasingMaterial::setTrialStrain(double strain, double) {
  const int fault = masing_point_set_trial(point.get(), strain, &trialStress, &trialTangent);
  trialStrain = fault ? trialStrain : strain;
  return done(fault);
}

double MasingMaterial::getEnergy() {
  return masing_point_stored_energy(point.get()) + masing_point_dissipated_energy(point.get());
}

int MasingMaterial::commitState() {
  return done(masing_point_commit(point.get()));
}

int MasingMaterial::revertToLastCommit() {
  return done(masing_point_revert_to_last(point.get())) +
         setTrialStrain(masing_point_position(point.get()));
}

int MasingMaterial::revertToStart() {
  return done(masing_point_revert_to_start(point.get())) + revertToLastCommit();
}

// Copies share the material's tables; each has a history of its own.
UniaxialMaterial* MasingMaterial::getCopy() {
  MasingMaterial* copy = new MasingMaterial();
  copy->setTag(getTag());
  std::copy(parameters, parameters + 4, copy->parameters);
  copy->material = material;
  copy->point.reset(masing_point_copy(point.get()));
  copy->trialStrain = trialStrain;
  copy->trialStress = trialStress;
  copy->trialTangent = trialTangent;
  return copy;
}

int MasingMaterial::sendSelf(int commitTag, Channel& theChannel) {
  std::vector<double> numbers(parameters, parameters + 4);
  numbers.resize(4 + masing_point_state_size(point.get()));
  if (done(masing_point_state(point.get(), numbers.data() + 4, numbers.size() - 4))) {
    return -1;
  }
  ID sizes(2);
  sizes(0) = getTag();
  sizes(1) = static_cast<int>(numbers.size());
  Vector data(numbers.data(), sizes(1));
  const bool isSent = theChannel.sendID(getDbTag(), commitTag, sizes) >= 0 &&
                      theChannel.sendVector(getDbTag(), commitTag, data) >= 0;
  return isSent ? 0 : -1;
}

int MasingMaterial::recvSelf(int commitTag, Channel& theChannel, FEM_ObjectBroker&) {
  ID sizes(2);
  if (theChannel.recvID(getDbTag(), commitTag, sizes) < 0 || sizes(1) < 4) {
    return -1;
  }
  std::vector<double> numbers(sizes(1));
  Vector data(numbers.data(), sizes(1));
  if (theChannel.recvVector(getDbTag(), commitTag, data) < 0) {
    return -1;
  }
  setTag(sizes(0));
  if (done(make(numbers.data())) ||
      done(masing_point_restore(point.get(), numbers.data() + 4, numbers.size() - 4))) {
    return -1;
  }
  return revertToLastCommit();
}

void MasingMaterial::Print(OPS_Stream& s, int flag) {
  const char* names[] = {"E", "epsFirst", "epsLast", "b"};
  if (flag == OPS_PRINT_PRINTMODEL_JSON) {
    s << "\t\t\t{\"name\": \"" << getTag() << "\", \"type\": \"Masing\"";
    for (int i = 0; i < 4; ++i) {
      s << ", \"" << names[i] << "\": " << parameters[i];
    }
    s << "}";
  } else {
    s << "Masing tag: " << getTag() << endln;
    for (int i = 0; i < 4; ++i) {
      s << "  " << names[i] << ": " << parameters[i] << endln;
    }
    s << "  strain: " << getStrain() << ", stress: " << getStress() << ", tangent: " << getTangent()
      << endln;
  }
}

// The parser: named in SRC/interpreter/OpenSeesUniaxialMaterialCommands.cpp (OpenSeesPy) and in
// SRC/material/uniaxial/TclModelBuilderUniaxialMaterialCommand.cpp (Tcl), beside the others.
void* OPS_MasingMaterial() {
  int tag = 0;
  double p[4] = {0.0, 0.0, 0.0, 0.0};
  int one = 1;
  int four = 4;
  if (OPS_GetNumRemainingInputArgs() != 5 || OPS_GetIntInput(&one, &tag) != 0 ||
      OPS_GetDoubleInput(&four, p) != 0) {
    opserr << "uniaxialMaterial Masing takes $tag $E $epsFirst $epsLast $b" << endln;
    return 0;
  }
  try {
    return new MasingMaterial(tag, p[0], p[1], p[2], p[3]);
  } catch (const std::invalid_argument& fault) {
    opserr << "MasingMaterial: " << fault.what() << endln;
    return 0;
  }
}
