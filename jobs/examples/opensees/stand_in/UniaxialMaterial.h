#ifndef UniaxialMaterial_h
#define UniaxialMaterial_h

// This is not OpenSees. It declares, with the same names and arguments, the part of it that
// MasingMaterial uses, so that MasingMaterial can be compiled without OpenSees. The behaviour
// follows the documentation of OpenSees.

#include <cstdio>
#include <vector>

#define endln "\n"
#define OPS_PRINT_PRINTMODEL_JSON 25000

struct OPS_Stream {
  OPS_Stream& operator<<(const char* s) { return std::fputs(s, stdout), *this; }
  OPS_Stream& operator<<(int n) { return std::printf("%d", n), *this; }
  OPS_Stream& operator<<(double n) { return std::printf("%g", n), *this; }
};
extern OPS_Stream* opserrPtr;
#define opserr (*opserrPtr)

struct ID : std::vector<int> {
  explicit ID(int size) : std::vector<int>(size) {}
  int& operator()(int i) { return (*this)[i]; }
};

struct Vector {
  Vector(double* numbers, int size) : data(numbers), size(size) {}
  double* data;  // of the caller
  int size;
};

struct Channel {
  virtual ~Channel() {}
  virtual int sendVector(int dbTag, int commitTag, const Vector& theVector) = 0;
  virtual int recvVector(int dbTag, int commitTag, Vector& theVector) = 0;
  virtual int sendID(int dbTag, int commitTag, const ID& theID) = 0;
  virtual int recvID(int dbTag, int commitTag, ID& theID) = 0;
};

class FEM_ObjectBroker {};

class UniaxialMaterial {
 public:
  UniaxialMaterial(int tag, int /*classTag*/) : tag_(tag) {}
  virtual ~UniaxialMaterial() {}
  int getTag() const { return tag_; }
  void setTag(int tag) { tag_ = tag; }
  int getDbTag() const { return 0; }
  virtual int setTrialStrain(double strain, double strainRate = 0) = 0;
  virtual double getStrain() = 0;
  virtual double getStress() = 0;
  virtual double getTangent() = 0;
  virtual double getInitialTangent() = 0;
  virtual int commitState() = 0;
  virtual int revertToLastCommit() = 0;
  virtual int revertToStart() = 0;
  virtual UniaxialMaterial* getCopy() = 0;
  virtual double getEnergy() { return 0; }
  virtual int sendSelf(int commitTag, Channel& theChannel) = 0;
  virtual int recvSelf(int commitTag, Channel& theChannel, FEM_ObjectBroker& theBroker) = 0;
  virtual void Print(OPS_Stream& s, int flag = 0) = 0;

 private:
  int tag_;
};

extern "C" int OPS_GetNumRemainingInputArgs();
extern "C" int OPS_GetIntInput(int* numData, int* data);
extern "C" int OPS_GetDoubleInput(int* numData, double* data);

#endif
