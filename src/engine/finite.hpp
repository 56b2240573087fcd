#pragma once

#include <memory>

#include "engine/model.hpp"

namespace masing::engine {

/// Returns a model of finitely many elements. Local.
std::shared_ptr<const Model> make_model(rheology::ModelSpec spec);

}  // namespace masing::engine
