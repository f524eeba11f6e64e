# leading comment
// another one

/* block
   comment */ variable "a" { # after the brace
  # inside
  type = string // after a value
  /* before */ default /* between */ = /* before the value */ "x" /* after */ # end
  //
  #
} // after the block

/**/ /***/ /* * / */ locals { /* only */ }

variable "b" {
  type = list( # type
    object({ // of object
      name = string, /* first */ # and
      // only comment
      age = optional(number /* default */, 3)
    })
  )
  /* multi
     line
     comment */
  default = [ # none
  ]
}

output "x" {
  value = [
    1, # one
    2, // two
    /* three */ 3
    # the end
  ]
}

output "y" {
  value = { # open
    # nothing but comments

    a = 1 # one
    /* b */ b = 2 // two

    c = ( # parens
      3 /* three */
    )
  } # close
}

output "z" {
  value = 1 + /* plus */ 2 # sum
}

output "path" { value = "a" /* one line */ }
# comment with carriage return at the end
#no space
#
#!shebang like
# the end, without a newline
# the end