#include "MasingMaterial.h"

#include <Channel.h>
#include <ID.h>
#include <Vector.h>
#include <elementAPI.h>

#include <cstdio>
#include <exception>

// Of your own: one that SRC/classTags.h does not have. In runs on several processors the broker
// (SRC/actor/objectBroker/FEM_ObjectBrokerAllClasses.cpp) makes a MasingMaterial() for it.
static const int MAT_TAG_Masing = 5001;

static masing::Material makeMaterial(const double p[4]) {
  const double ends[] = {0.0, 1.0};
  const double strains[] = {p[1], p[2]};
  char stiffness[32];
  std::snprintf(stiffness, sizeof stiffness, "%.17g", p[0] * (1 - p[3]));
  masing::Continuum slab;
  slab.stiffness = stiffness;
  slab.threshold = masing::table(ends, strains);
  return masing::Material::continuum(slab, p[0] * p[3]);
}

MasingMaterial::MasingMaterial(int tag, double E, double epsFirst, double epsLast, double b)
    : UniaxialMaterial(tag, MAT_TAG_Masing),
      parameters{E, epsFirst, epsLast, b},
      material(makeMaterial(parameters)),
      point(material),
      trialStrain(0.0),
      trial(point.trial(0.0)) {}

MasingMaterial::MasingMaterial() : MasingMaterial(0, 1.0, 1.0, 2.0, 0.0) {}

// A negative value tells OpenSees that the step has failed.
template <class Work>
static int done(const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& fault) {
    opserr << "MasingMaterial: " << fault.what() << endln;
    return -1;
  }
}

int MasingMaterial::setTrialStrain(double strain, double) {
  return done([&] {
    trial = point.set_trial(strain);
    trialStrain = strain;
  });
}

double MasingMaterial::getEnergy() {
  return point.stored_energy() + point.dissipated_energy();
}

int MasingMaterial::commitState() {
  return done([&] { point.commit(); });
}

int MasingMaterial::revertToLastCommit() {
  point.revert_to_last();
  return setTrialStrain(point.position());
}

int MasingMaterial::revertToStart() {
  return done([&] { point.revert_to_start(); }) + revertToLastCommit();
}

// Copies share the material's tables; each has a history of its own.
UniaxialMaterial* MasingMaterial::getCopy() {
  return new MasingMaterial(*this);
}

int MasingMaterial::sendSelf(int commitTag, Channel& theChannel) {
  std::vector<double> numbers = point.state();
  numbers.insert(numbers.begin(), parameters, parameters + 4);
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
  return done([&] {
           const masing::Material sent = makeMaterial(numbers.data());
           masing::MaterialPoint received(sent);
           received.restore({numbers.data() + 4, numbers.size() - 4});
           setTag(sizes(0));
           for (int i = 0; i < 4; ++i) {
             parameters[i] = numbers[i];
           }
           material = sent;
           point = received;
         }) +
         revertToLastCommit();
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
  MasingMaterial* made = 0;
  done([&] { made = new MasingMaterial(tag, p[0], p[1], p[2], p[3]); });
  return made;
}
