#pragma once

#include <variant>

#include "rheology/discrete_masing.hpp"
#include "rheology/friction_oscillator.hpp"
#include "rheology/p_chain.hpp"
#include "rheology/p_parallel.hpp"
#include "rheology/p_series.hpp"
#include "rheology/persoz.hpp"
#include "rheology/persoz_quasistatic.hpp"
#include "rheology/prandtl.hpp"
#include "rheology/s1_p2_parallel.hpp"
#include "rheology/s1_p2_series.hpp"
#include "rheology/s_chain.hpp"
#include "rheology/three_springs.hpp"
#include "rheology/viscoelastoplastic.hpp"

namespace rheology {

/// Any model of options::Family::finite, each an Inclusion: the catalogue lists them as they stand
/// here.
using AnyModel = std::variant<FrictionOscillator, PParallel, Viscoelastoplastic, Prandtl,
                              ThreeSprings, DiscreteMasing, SChain, PChain, PSeries, S1P2Series,
                              S1P2Parallel, Persoz, PersozQuasistatic>;

}  // namespace rheology
