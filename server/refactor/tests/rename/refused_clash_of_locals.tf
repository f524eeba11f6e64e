# rename b
locals {
  $0a = 1
  b = 2
}
#=
refused: local value "b" already exists.
