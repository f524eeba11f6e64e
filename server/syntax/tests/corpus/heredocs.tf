# Heredocs of all kinds.
locals {
  plain = <<EOT
hello
  world
EOT

  flush = <<-EOT
    hello
      world
    ${local.plain}
  EOT

  flush_zero = <<-EOT
aaaa
  bbbb
    ${var.c}
  dddd
EOT

  flush_blank = <<-EOT

      first

    second
      
      third
  EOT

  empty       = <<EOT
EOT
  empty_flush = <<-EOT
  EOT

  dollars = <<EOT
$ $$ $${not} $$$${neither} %% %%{ nor } %
$
$a
$ab
$$
a$
%
%a
$é
é$
EOT

  dollar_lines = <<-EOT
    $
    $x
      cost: 5$
    100%
    $${escaped}
    %%{escaped}
  EOT

  backslashes = <<EOT
C:\path\${var.name}\n "quoted" \" \\
EOT

  trimmed = <<-EOT
    %{ for ip in var.ips ~}
    server ${ip}
    %{ endfor ~}
    %{~ if var.last }
    last
    %{~ else }
    not last
    %{ endif ~}
    end
  EOT

  markers = <<MARKER_2-x
MARKER
 MARKER_2
MARKER_2-xx
  MARKER_2-x  
}

locals {
  in_call = join("\n", [<<-A
      one
    A
    , <<-B
      two
    B
  ])

  nested = <<-OUTER
    ${join(",", [<<-INNER
      inner ${var.x}
    INNER
    ])}
    after
  OUTER

  json = jsonencode({
    text = <<-EOT
      a
    EOT
    other = 1
  })

  not_a_marker = <<EOT
    EOT is not at its own line
   x EOT
EOT x
EOT
}

resource "local_file" "script" {
  filename = "run.sh"
  content  = <<-SCRIPT
    #!/bin/sh
    set -eu
    for f in *.txt; do
      echo "$f" "$${HOME}" "$(date)" $((1 + 1))
    done
    awk '{ print $1 }' < /etc/passwd | grep -v '%'
	tab indented ${var.x} line
  SCRIPT
}

output "indented_interpolation" {
  value = <<-EOT
      ${var.a}
    b ${var.b} c
        ${~ var.d ~}   
      e
  EOT
}
