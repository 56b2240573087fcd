// Moves MasingMaterial once, with the declarations of stand_in/ in place of OpenSees.
//
//     c++ -std=c++11 -O2 -Istand_in -I$PREFIX/include move.cpp MasingMaterial.cpp
//         -L$PREFIX/lib -lmasing_material -Wl,-rpath,$PREFIX/lib -o move

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "MasingMaterial.h"

void* OPS_MasingMaterial();

static OPS_Stream stream;
OPS_Stream* opserrPtr = &stream;

// The words of a command: the tag 7 and four numbers.
static const double* words;
extern "C" int OPS_GetNumRemainingInputArgs() {
  return 5;
}
extern "C" int OPS_GetIntInput(int*, int* data) {
  return *data = 7, 0;
}
extern "C" int OPS_GetDoubleInput(int* count, double* data) {
  return std::copy_n(words, *count, data), 0;
}

// What sendSelf sends, recvSelf receives.
struct Mailbox : Channel {
  std::vector<double> numbers;
  ID id{0};
  int sendVector(int, int, const Vector& v) override {
    return numbers.assign(v.data, v.data + v.size), 0;
  }
  int recvVector(int, int, Vector& v) override {
    return std::copy_n(numbers.begin(), v.size, v.data), 0;
  }
  int sendID(int, int, const ID& sent) override { return id = sent, 0; }
  int recvID(int, int, ID& received) override { return received = id, 0; }
};

static void move(const char* name, UniaxialMaterial& material) {
  material.setTrialStrain(0.1);  // given up
  material.revertToLastCommit();
  material.setTrialStrain(-0.002);
  std::printf("%s %.17g %.17g\n", name, material.getStress(), material.getTangent());
}

int main() {
  const double refused[] = {200e3, 0.005, -0.001, 0.02};
  const double good[] = {200e3, 0.001, 0.005, 0.02};
  words = refused;
  std::printf("refused %d\n", OPS_MasingMaterial() == nullptr);
  words = good;
  const std::unique_ptr<UniaxialMaterial> material(
      static_cast<UniaxialMaterial*>(OPS_MasingMaterial()));
  material->setTrialStrain(0.004);
  material->commitState();
  std::printf("loaded %.17g %.17g\nenergy %.17g\n", material->getStress(), material->getTangent(),
              material->getEnergy());
  const std::unique_ptr<UniaxialMaterial> copy(material->getCopy());
  Mailbox mailbox;
  FEM_ObjectBroker broker;
  MasingMaterial received;
  std::printf("sent %d\n", material->sendSelf(0, mailbox) + received.recvSelf(0, mailbox, broker));
  move("moved", *material);
  move("copy", *copy);
  move("received", received);
  material->revertToStart();
  std::printf("start %.17g\n", material->getStress());
  material->Print(stream);
}
