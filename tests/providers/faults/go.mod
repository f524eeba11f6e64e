module planlens/tests/providers/faults

go 1.25.8
