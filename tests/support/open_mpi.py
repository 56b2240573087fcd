"""How the tests have Open MPI start ranks: more than cores, by anybody, on one host."""

# Between hosts, or what passes for some.
TCP = {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp"}
OPEN_MPI = {**TCP, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "vader,self"}
# Ranks of several tests at once outnumber the cores. A run that is alone must not yield: on a busy machine it would
# wait for its turn again at every look for messages.
YIELD = {"OMPI_MCA_mpi_yield_when_idle": "1"}
