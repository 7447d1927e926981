"""The workloads as a user of TensorFlow writes them."""
