"""The workloads as a user of autograd writes them."""
