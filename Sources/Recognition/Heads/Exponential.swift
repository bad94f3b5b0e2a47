import Glibc

/// e^x; these are in a file of their own because the C library's names are taken by everything that imports it.
func exponential(_ x: Double) -> Double { exp(x) }

/// x^y.
func power(_ x: Double, _ y: Double) -> Double { pow(x, y) }

/// ln x.
func logarithm(_ x: Double) -> Double { log(x) }
