# rename tags
locals {
  $0labels = { a = 1 }
  more   = merge(local.labels, { labels = 2 })
}

output "labels" {
  value = local.labels["a"]
}
#=
no changes to infrastructure
#- /main.tf
# rename tags
locals {
  tags = { a = 1 }
  more = merge(local.tags, { labels = 2 })
}

output "labels" {
  value = local.tags["a"]
}
