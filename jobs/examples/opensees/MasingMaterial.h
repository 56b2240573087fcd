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
// These two files are written for the headers of OpenSees 3
// (SRC/material/uniaxial/UniaxialMaterial.h and what it includes) and for C++11, as OpenSees is;
// link with libmasing_material.

#include <UniaxialMaterial.h>
#include <masing/material.h>

#include <memory>

class MasingMaterial : public UniaxialMaterial {
 public:
  /// Throws std::invalid_argument where the data are not admissible.
  MasingMaterial(int tag, double E, double epsFirst, double epsLast, double b);
  /// For the broker of objects: recvSelf makes its material; until then every step fails.
  MasingMaterial();

  int setTrialStrain(double strain, double strainRate = 0.0) override;
  double getStrain() override { return trialStrain; }
  double getStress() override { return trialStress; }
  double getTangent() override { return trialTangent; }
  double getInitialTangent() override { return parameters[0]; }
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
  int make(const double p[4]);

  double parameters[4];  // E, epsFirst, epsLast, b
  std::shared_ptr<masing_material> material;
  std::unique_ptr<masing_point, void (*)(masing_point*)> point;
  double trialStrain, trialStress, trialTangent;
};

#endif
