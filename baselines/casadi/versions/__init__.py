"""The workloads as a user of CasADi writes them."""
