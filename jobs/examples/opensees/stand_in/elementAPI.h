#include "UniaxialMaterial.h"
