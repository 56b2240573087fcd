#include "library/masing/material.h"
