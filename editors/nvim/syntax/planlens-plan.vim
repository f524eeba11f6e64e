" The plan as `terraform plan` prints it.
if exists('b:current_syntax')
  finish
endif
syntax match planlensComment /^\s*#.*$/
syntax match planlensReplace /^\s*\(-\/+\|+\/-\)\s.*$/ contains=planlensForces
syntax match planlensAdd /^\s*+\s.*$/
syntax match planlensRemove /^\s*-\s.*$/
syntax match planlensChange /^\s*\~\s.*$/ contains=planlensForces
syntax match planlensForces /# forces replacement/
syntax match planlensCounts /^Plan:.*$/
highlight default link planlensComment Comment
highlight default link planlensReplace DiagnosticError
highlight default link planlensAdd Added
highlight default link planlensRemove Removed
highlight default link planlensChange Changed
highlight default link planlensForces DiagnosticError
highlight default link planlensCounts Title
let b:current_syntax = 'planlens-plan'
