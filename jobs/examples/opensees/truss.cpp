// A mass on a bar of a material as OpenSees has it, under a force that swings: Newmark's method
// (β = 1/4, γ = 1/2) with Newton's iterations, as OpenSees would make them. The material is the
// Masing element, 100 sliders, and, as the reference, 100000 or as many as are given.
//
//     c++ -std=c++11 -O3 -march=native -fopenmp-simd -Istand_in -I$PREFIX/include truss.cpp
//         MasingMaterial.cpp -L$PREFIX/lib -lmasing_material -Wl,-rpath,$PREFIX/lib -o truss

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "../sliders.h"
#include "MasingMaterial.h"

void* OPS_MasingMaterial();

static OPS_Stream stream;
OPS_Stream* opserrPtr = &stream;

// The words of a command, as an interpreter would hand them out.
static std::vector<double> words;
extern "C" int OPS_GetNumRemainingInputArgs() {
  return static_cast<int>(words.size());
}
extern "C" int OPS_GetDoubleInput(int* numData, double* data) {
  std::copy_n(words.begin(), *numData, data);
  words.erase(words.begin(), words.begin() + *numData);
  return 0;
}
extern "C" int OPS_GetIntInput(int* numData, int* data) {
  std::vector<double> numbers(*numData);
  OPS_GetDoubleInput(numData, numbers.data());
  std::copy(numbers.begin(), numbers.end(), data);
  return 0;
}

namespace {

// Steel in N and mm: it begins to yield at a strain of 0.1 %, has yielded at 0.5 %.
constexpr double E = 200e3;
constexpr double first = 0.001;
constexpr double last = 0.005;
constexpr double b = 0.02;

/// The same material as sliders; what this example does not need does nothing.
class Sliders : public UniaxialMaterial {
 public:
  explicit Sliders(int n) : UniaxialMaterial(n, 0), all_(sliders_make(n, E, first, last, b)) {}
  Sliders(const Sliders&) = delete;
  Sliders& operator=(const Sliders&) = delete;
  ~Sliders() override { sliders_free(&all_); }
  int setTrialStrain(double strain, double) override { return sliders_set_trial(&all_, strain), 0; }
  double getStrain() override { return all_.trial; }
  double getStress() override { return all_.force; }
  double getTangent() override { return all_.slope; }
  double getInitialTangent() override { return E; }
  int commitState() override { return sliders_commit(&all_), 0; }
  int revertToLastCommit() override { return setTrialStrain(all_.x, 0); }
  int revertToStart() override { return sliders_revert_to_start(&all_), 0; }
  UniaxialMaterial* getCopy() override { return nullptr; }
  int sendSelf(int, Channel&) override { return -1; }
  int recvSelf(int, Channel&, FEM_ObjectBroker&) override { return -1; }
  void Print(OPS_Stream&, int) override {}

 private:
  sliders all_;
};

constexpr int steps = 4000;
constexpr int period = 400;

/// A mass at the end of a bar, between two steps.
struct Bar {
  explicit Bar(UniaxialMaterial& of, double x0 = 0.0, double v0 = 0.0, double a0 = 0.0)
      : material(of), x(x0), v(v0), a(a0) {}

  UniaxialMaterial& material;
  double x, v, a;

  /// Steps p = begin + 1, …, end; returns how many iterations they took, -1 if one failed.
  int advance(int begin, int end, std::vector<double>& path) {
    constexpr double area = 100.0;      // mm²
    constexpr double length = 1000.0;   // mm
    constexpr double mass = 1.0;        // t, so that the elastic period is 0.044 s
    constexpr double force = 55e3;      // N, beside 59 kN at full yield
    constexpr double h = 0.2 / period;  // s
    int iterations = 0;
    for (int p = begin + 1; p <= end; ++p) {
      const double load = force * (0.5 + 0.5 * p / steps) * std::sin(2 * M_PI * p / period);
      double next = x;
      double residual = 0.0;
      for (int i = 0;; ++i) {
        const double acceleration = 4 * ((next - x) / h - v) / h - a;
        if (i == 50 || material.setTrialStrain(next / length) != 0) {
          return -1;
        }
        ++iterations;
        residual = load - mass * acceleration - area * material.getStress();
        if (std::fabs(residual) < 1e-12 * force) {
          v += 0.5 * h * (a + acceleration);
          a = acceleration;
          x = next;
          break;
        }
        next += residual / (4 * mass / (h * h) + area * material.getTangent() / length);
      }
      if (material.commitState() != 0) {
        return -1;
      }
      path.push_back(x);
    }
    return iterations;
  }
};

struct Path {
  std::vector<double> x;
  int iterations = 0;
  double seconds = 0.0;
};

Path path_of(UniaxialMaterial& material) {
  Path path;
  material.revertToStart();
  const auto start = std::chrono::steady_clock::now();
  path.iterations = Bar(material).advance(0, steps, path.x);
  path.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return path;
}

double difference(const Path& a, const Path& b) {
  double largest = 0.0;
  for (std::size_t p = 0; p < a.x.size(); ++p) {
    largest = std::max(largest, std::fabs(a.x[p] - b.x[p]));
  }
  return largest;
}

/// What sendSelf sends recvSelf receives.
class Mailbox : public Channel {
 public:
  int sendVector(int, int, const Vector& sent) override {
    for (int i = 0; i < sent.Size(); ++i) {
      numbers_.push_back(sent(i));
    }
    return 0;
  }
  int recvVector(int, int, Vector& received) override {
    for (int i = 0; i < received.Size(); ++i) {
      received(i) = numbers_.at(i);
    }
    return 0;
  }
  int sendID(int, int, const ID& sent) override { return id_ = sent, 0; }
  int recvID(int, int, ID& received) override { return received = id_, 0; }

 private:
  std::vector<double> numbers_;
  ID id_{0};
};

/// Whether a bar goes on to the same bits with the material's copy, with what was sent to another
/// process, and from the last commit after a step that is given up.
bool same_bits(UniaxialMaterial& material) {
  constexpr int half = steps / 2 + 57;
  material.revertToStart();
  std::vector<double> path;
  Bar bar(material);
  bar.advance(0, half, path);
  const std::unique_ptr<UniaxialMaterial> copy(material.getCopy());
  Mailbox mailbox;
  FEM_ObjectBroker broker;
  MasingMaterial received;
  if (material.sendSelf(0, mailbox) != 0 || received.recvSelf(0, mailbox, broker) != 0 ||
      received.getTag() != material.getTag()) {
    return false;
  }
  material.setTrialStrain(0.1);
  material.revertToLastCommit();
  std::vector<std::vector<double>> ends(3);
  UniaxialMaterial* const all[] = {&material, copy.get(), &received};
  for (int i = 0; i < 3; ++i) {
    Bar(*all[i], bar.x, bar.v, bar.a).advance(half, steps, ends[i]);
  }
  return ends[0] == ends[1] && ends[0] == ends[2];
}

}  // namespace

int main(int count, char** arguments) {
  words = {7, E, first, last, b};
  const std::unique_ptr<UniaxialMaterial> masing(
      static_cast<UniaxialMaterial*>(OPS_MasingMaterial()));
  words = {7, E, last, -first, b};
  const bool is_refused = OPS_MasingMaterial() == nullptr;
  Sliders hundred(100);
  const int most = count > 1 ? std::atoi(arguments[1]) : 100000;
  Sliders many(most);

  const Path exact = path_of(many);
  std::printf("%d steps, x up to %.3f mm\n", steps,
              *std::max_element(exact.x.begin(), exact.x.end()));
  std::printf("%-16s %12s %12s %10s\n", "material", "error, mm", "iterations", "time, ms");
  const auto row = [&exact](const char* name, const Path& path) {
    std::printf("%-16s %12.3g %12d %10.3f\n", name, difference(path, exact), path.iterations,
                1e3 * path.seconds);
  };
  row("Masing", path_of(*masing));
  row("100 sliders", path_of(hundred));
  row((std::to_string(most) + " sliders").c_str(), exact);
  std::printf("same bits of a copy, a message, a reverted step: %s\n",
              same_bits(*masing) ? "yes" : "no");
  std::printf("refused thresholds: %s\n", is_refused ? "yes" : "no");
  masing->Print(stream);
  return 0;
}
