#ifndef UniaxialMaterial_h
#define UniaxialMaterial_h

// This is not OpenSees. It declares, with the same names and arguments, as much of it as
// MasingMaterial uses, so that the example is built and run where there is no OpenSees. What these
// functions do is written from what is documented of them, as simple as will do.

#include <cstdio>
#include <vector>

#define endln "\n"
#define OPS_PRINT_PRINTMODEL_JSON 25000

class OPS_Stream {
 public:
  virtual ~OPS_Stream() = default;
  virtual OPS_Stream& operator<<(const char* s) { return std::fputs(s, stdout), *this; }
  virtual OPS_Stream& operator<<(int n) { return std::printf("%d", n), *this; }
  virtual OPS_Stream& operator<<(double n) { return std::printf("%g", n), *this; }
};
extern OPS_Stream* opserrPtr;
#define opserr (*opserrPtr)

class ID {
 public:
  explicit ID(int size) : data_(size) {}
  int& operator()(int i) { return data_[i]; }
  int operator()(int i) const { return data_[i]; }
  int Size() const { return static_cast<int>(data_.size()); }

 private:
  std::vector<int> data_;
};

// Over the caller's numbers.
class Vector {
 public:
  Vector(double* data, int size) : data_(data), size_(size) {}
  double& operator()(int i) { return data_[i]; }
  double operator()(int i) const { return data_[i]; }
  int Size() const { return size_; }

 private:
  double* data_;
  int size_;
};

class Channel {
 public:
  virtual ~Channel() = default;
  virtual int sendVector(int dbTag, int commitTag, const Vector& theVector) = 0;
  virtual int recvVector(int dbTag, int commitTag, Vector& theVector) = 0;
  virtual int sendID(int dbTag, int commitTag, const ID& theID) = 0;
  virtual int recvID(int dbTag, int commitTag, ID& theID) = 0;
};

class FEM_ObjectBroker {};

class TaggedObject {
 public:
  explicit TaggedObject(int tag) : tag_(tag) {}
  virtual ~TaggedObject() = default;
  int getTag() const { return tag_; }
  virtual void Print(OPS_Stream& s, int flag = 0) = 0;

 protected:
  void setTag(int tag) { tag_ = tag; }

 private:
  int tag_;
};

class MovableObject {
 public:
  explicit MovableObject(int classTag) : class_tag_(classTag) {}
  virtual ~MovableObject() = default;
  int getClassTag() const { return class_tag_; }
  int getDbTag() const { return 0; }
  virtual int sendSelf(int commitTag, Channel& theChannel) = 0;
  virtual int recvSelf(int commitTag, Channel& theChannel, FEM_ObjectBroker& theBroker) = 0;

 private:
  int class_tag_;
};

class Material : public TaggedObject, public MovableObject {
 public:
  Material(int tag, int classTag) : TaggedObject(tag), MovableObject(classTag) {}
};

class UniaxialMaterial : public Material {
 public:
  UniaxialMaterial(int tag, int classTag) : Material(tag, classTag) {}
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
};

extern "C" int OPS_GetNumRemainingInputArgs();
extern "C" int OPS_GetIntInput(int* numData, int* data);
extern "C" int OPS_GetDoubleInput(int* numData, double* data);

#endif
