#ifndef MasingMaterial_h
#define MasingMaterial_h

// The Masing element as a uniaxialMaterial of OpenSees:
//
//     uniaxialMaterial Masing $tag $E $epsFirst $epsLast $b
//
// E is the initial tangent, b E the tangent after full yield; the strains at which the material
// begins to yield and has yielded are epsFirst and epsLast, between them the backbone is a
// parabola. After a reversal it follows Masing's rules: branches are the backbone scaled by two,
// a closed loop is forgotten.
//
// These two files are written for the headers of OpenSees 3 (SRC/material/uniaxial/UniaxialMaterial.h
// and what it includes); link with libmasing_material.

#include <UniaxialMaterial.h>

#include <masing/material.hpp>
#include <vector>

class MasingMaterial : public UniaxialMaterial {
 public:
  /// Throws masing::Mistake where the data are not admissible.
  MasingMaterial(int tag, double E, double epsFirst, double epsLast, double b);
  /// For the broker of objects: recvSelf fills it.
  MasingMaterial();

  int setTrialStrain(double strain, double strainRate = 0.0) override;
  double getStrain() override { return trialStrain; }
  double getStress() override { return trial.force; }
  double getTangent() override { return trial.stiffness; }
  double getInitialTangent() override { return material.elastic_stiffness(); }
  /// Of a volume: what is stored and what was dissipated.
  double getEnergy() override;

  int commitState() override;
  int revertToLastCommit() override;
  int revertToStart() override;

  UniaxialMaterial* getCopy() override;

  int sendSelf(int commitTag, Channel& theChannel) override;
  int recvSelf(int commitTag, Channel& theChannel, FEM_ObjectBroker& theBroker) override;
  void Print(OPS_Stream& s, int flag = 0) override;

 private:
  double parameters[4];  // E, epsFirst, epsLast, b
  masing::Material material;
  masing::MaterialPoint point;
  double trialStrain;
  masing::Response trial;
};

#endif
