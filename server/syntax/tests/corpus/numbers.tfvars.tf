# Only attributes, as in a variables file.
zero      = 0
zeros     = 000
leading   = 007
fraction  = 0.50
exponents = [1e0, 1E1, 1e+2, 1e-2, 1.5e3, 1.5E-3, 0e0, 0.0, 00.10]
big       = 99999999999999999999999999999999999999999999999999
bigger    = 1e400
small     = 1e-400
precise   = 3.14159265358979323846264338327950288419716939937510
negative  = [-1, - 1, -1.5, -(-1), --1]
sums      = [1+1, 1 +1, 1+ 1, 1-1, 1 -1, 1*-1, 1/-1, 2%2]
compare   = [1<2, 1<=2, 1>2, 1>=2, 1==2, 1!=2, !false]
