# rename source
variable "$0a" {}
#=
refused: "source" is a reserved name here.
