import Glibc

/// e^x; in a file of its own because the C library's name is taken by everything that imports it.
func exponential(_ x: Double) -> Double { exp(x) }
