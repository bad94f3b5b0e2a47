import Glibc

/// e^x. Only this file imports Glibc, because its names would collide with others elsewhere.
func exponential(_ x: Double) -> Double { exp(x) }

func power(_ x: Double, _ y: Double) -> Double { pow(x, y) }

func logarithm(_ x: Double) -> Double { log(x) }
