terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "n00" {
  name = "server-00"
  size = 1
  tags = { group = "g0" }
}

resource "lab6_server" "n01" {
  name = "server-01"
  size = 2
  tags = { group = "g0" }
}

resource "lab6_server" "n02" {
  name = "server-02"
  size = 3
  tags = { group = "g0" }
}

resource "lab6_server" "n03" {
  name = "server-03"
  size = 4
  tags = { group = "g0" }
}

resource "lab6_server" "n04" {
  name = "server-04"
  size = 5
  tags = { group = "g0" }
}

resource "lab6_server" "n05" {
  name = "server-05"
  size = 6
  tags = { group = "g0" }
}

resource "lab6_server" "n06" {
  name = "server-06"
  size = 7
  tags = { group = "g0" }
}

resource "lab6_server" "n07" {
  name = "server-07"
  size = 1
  tags = { group = "g0" }
}

resource "lab6_server" "n08" {
  name = "server-08"
  size = 2
  tags = { group = "g0" }
}

resource "lab6_server" "n09" {
  name = "server-09"
  size = 3
  tags = { group = "g0" }
}

resource "lab6_server" "n10" {
  name = "server-10"
  size = 4
  tags = { group = "g1" }
}

resource "lab6_server" "n11" {
  name = "server-11"
  size = 5
  tags = { group = "g1" }
}

resource "lab6_server" "n12" {
  name = "server-12"
  size = 6
  tags = { group = "g1" }
}

resource "lab6_server" "n13" {
  name = "server-13"
  size = 7
  tags = { group = "g1" }
}

resource "lab6_server" "n14" {
  name = "server-14"
  size = 1
  tags = { group = "g1" }
}

resource "lab6_server" "n15" {
  name = "server-15"
  size = 2
  tags = { group = "g1" }
}

resource "lab6_server" "n16" {
  name = "server-16"
  size = 3
  tags = { group = "g1" }
}

resource "lab6_server" "n17" {
  name = "server-17"
  size = 4
  tags = { group = "g1" }
}

resource "lab6_server" "n18" {
  name = "server-18"
  size = 5
  tags = { group = "g1" }
}

resource "lab6_server" "n19" {
  name = "server-19"
  size = 6
  tags = { group = "g1" }
}

resource "lab6_server" "n20" {
  name = "server-20"
  size = 7
  tags = { group = "g2" }
}

resource "lab6_server" "n21" {
  name = "server-21"
  size = 1
  tags = { group = "g2" }
}

resource "lab6_server" "n22" {
  name = "server-22"
  size = 2
  tags = { group = "g2" }
}

resource "lab6_server" "n23" {
  name = "server-23"
  size = 3
  tags = { group = "g2" }
}

resource "lab6_server" "n24" {
  name = "server-24"
  size = 4
  tags = { group = "g2" }
}

resource "lab6_server" "n25" {
  name = "server-25"
  size = 5
  tags = { group = "g2" }
}

resource "lab6_server" "n26" {
  name = "server-26"
  size = 6
  tags = { group = "g2" }
}

resource "lab6_server" "n27" {
  name = "server-27"
  size = 7
  tags = { group = "g2" }
}

resource "lab6_server" "n28" {
  name = "server-28"
  size = 1
  tags = { group = "g2" }
}

resource "lab6_server" "n29" {
  name = "server-29"
  size = 2
  tags = { group = "g2" }
}

resource "lab6_server" "n30" {
  name = "server-30"
  size = 3
  tags = { group = "g3" }
}

resource "lab6_server" "n31" {
  name = "server-31"
  size = 4
  tags = { group = "g3" }
}

resource "lab6_server" "n32" {
  name = "server-32"
  size = 5
  tags = { group = "g3" }
}

resource "lab6_server" "n33" {
  name = "server-33"
  size = 6
  tags = { group = "g3" }
}

resource "lab6_server" "n34" {
  name = "server-34"
  size = 7
  tags = { group = "g3" }
}

resource "lab6_server" "n35" {
  name = "server-35"
  size = 1
  tags = { group = "g3" }
}

resource "lab6_server" "n36" {
  name = "server-36"
  size = 2
  tags = { group = "g3" }
}

resource "lab6_server" "n37" {
  name = "server-37"
  size = 3
  tags = { group = "g3" }
}

resource "lab6_server" "n38" {
  name = "server-38"
  size = 4
  tags = { group = "g3" }
}

resource "lab6_server" "n39" {
  name = "server-39"
  size = 5
  tags = { group = "g3" }
}

resource "lab6_server" "n40" {
  name = "server-40"
  size = 6
  tags = { group = "g4" }
}

resource "lab6_server" "n41" {
  name = "server-41"
  size = 7
  tags = { group = "g4" }
}

resource "lab6_server" "n42" {
  name = "server-42"
  size = 1
  tags = { group = "g4" }
}

resource "lab6_server" "n43" {
  name = "server-43"
  size = 2
  tags = { group = "g4" }
}

resource "lab6_server" "n44" {
  name = "server-44"
  size = 3
  tags = { group = "g4" }
}

resource "lab6_server" "n45" {
  name = "server-45"
  size = 4
  tags = { group = "g4" }
}

resource "lab6_server" "n46" {
  name = "server-46"
  size = 5
  tags = { group = "g4" }
}

resource "lab6_server" "n47" {
  name = "server-47"
  size = 6
  tags = { group = "g4" }
}

resource "lab6_server" "n48" {
  name = "server-48"
  size = 7
  tags = { group = "g4" }
}

resource "lab6_server" "n49" {
  name = "server-49"
  size = 1
  tags = { group = "g4" }
}

resource "lab6_server" "n50" {
  name = "renamed"
  size = 2
  tags = { group = "g5" }
}

resource "lab6_server" "n51" {
  name = "server-51"
  size = 3
  tags = { group = "g5" }
}

resource "lab6_server" "n52" {
  name = "server-52"
  size = 4
  tags = { group = "g5" }
}

resource "lab6_server" "n53" {
  name = "server-53"
  size = 5
  tags = { group = "g5" }
}

resource "lab6_server" "n54" {
  name = "server-54"
  size = 6
  tags = { group = "g5" }
}

resource "lab6_server" "n55" {
  name = "server-55"
  size = 7
  tags = { group = "g5" }
}

resource "lab6_server" "n56" {
  name = "server-56"
  size = 1
  tags = { group = "g5" }
}

resource "lab6_server" "n57" {
  name = "server-57"
  size = 2
  tags = { group = "g5" }
}

resource "lab6_server" "n58" {
  name = "server-58"
  size = 3
  tags = { group = "g5" }
}

resource "lab6_server" "n59" {
  name = "server-59"
  size = 4
  tags = { group = "g5" }
}

resource "lab6_server" "n60" {
  name = "server-60"
  size = 5
  tags = { group = "g6" }
}

resource "lab6_server" "n61" {
  name = "server-61"
  size = 6
  tags = { group = "g6" }
}

resource "lab6_server" "n62" {
  name = "server-62"
  size = 7
  tags = { group = "g6" }
}

resource "lab6_server" "n63" {
  name = "server-63"
  size = 1
  tags = { group = "g6" }
}

resource "lab6_server" "n64" {
  name = "server-64"
  size = 2
  tags = { group = "g6" }
}

resource "lab6_server" "n65" {
  name = "server-65"
  size = 3
  tags = { group = "g6" }
}

resource "lab6_server" "n66" {
  name = "server-66"
  size = 4
  tags = { group = "g6" }
}

resource "lab6_server" "n67" {
  name = "server-67"
  size = 5
  tags = { group = "g6" }
}

resource "lab6_server" "n68" {
  name = "server-68"
  size = 6
  tags = { group = "g6" }
}

resource "lab6_server" "n69" {
  name = "server-69"
  size = 7
  tags = { group = "g6" }
}

resource "lab6_server" "n70" {
  name = "server-70"
  size = 1
  tags = { group = "g7" }
}

resource "lab6_server" "n71" {
  name = "server-71"
  size = 2
  tags = { group = "g7" }
}

resource "lab6_server" "n72" {
  name = "server-72"
  size = 3
  tags = { group = "g7" }
}

resource "lab6_server" "n73" {
  name = "server-73"
  size = 4
  tags = { group = "g7" }
}

resource "lab6_server" "n74" {
  name = "server-74"
  size = 5
  tags = { group = "g7" }
}

resource "lab6_server" "n75" {
  name = "server-75"
  size = 6
  tags = { group = "g7" }
}

resource "lab6_server" "n76" {
  name = "server-76"
  size = 7
  tags = { group = "g7" }
}

resource "lab6_server" "n77" {
  name = "server-77"
  size = 1
  tags = { group = "g7" }
}

resource "lab6_server" "n78" {
  name = "server-78"
  size = 2
  tags = { group = "g7" }
}

resource "lab6_server" "n79" {
  name = "server-79"
  size = 3
  tags = { group = "g7" }
}

resource "lab6_server" "n80" {
  name = "server-80"
  size = 4
  tags = { group = "g8" }
}

resource "lab6_server" "n81" {
  name = "server-81"
  size = 5
  tags = { group = "g8" }
}

resource "lab6_server" "n82" {
  name = "server-82"
  size = 6
  tags = { group = "g8" }
}

resource "lab6_server" "n83" {
  name = "server-83"
  size = 7
  tags = { group = "g8" }
}

resource "lab6_server" "n84" {
  name = "server-84"
  size = 1
  tags = { group = "g8" }
}

resource "lab6_server" "n85" {
  name = "server-85"
  size = 2
  tags = { group = "g8" }
}

resource "lab6_server" "n86" {
  name = "server-86"
  size = 3
  tags = { group = "g8" }
}

resource "lab6_server" "n87" {
  name = "server-87"
  size = 4
  tags = { group = "g8" }
}

resource "lab6_server" "n88" {
  name = "server-88"
  size = 5
  tags = { group = "g8" }
}

resource "lab6_server" "n89" {
  name = "server-89"
  size = 6
  tags = { group = "g8" }
}

resource "lab6_server" "n90" {
  name = "server-90"
  size = 7
  tags = { group = "g9" }
}

resource "lab6_server" "n91" {
  name = "server-91"
  size = 1
  tags = { group = "g9" }
}

resource "lab6_server" "n92" {
  name = "server-92"
  size = 2
  tags = { group = "g9" }
}

resource "lab6_server" "n93" {
  name = "server-93"
  size = 3
  tags = { group = "g9" }
}

resource "lab6_server" "n94" {
  name = "server-94"
  size = 4
  tags = { group = "g9" }
}

resource "lab6_server" "n95" {
  name = "server-95"
  size = 5
  tags = { group = "g9" }
}

resource "lab6_server" "n96" {
  name = "server-96"
  size = 6
  tags = { group = "g9" }
}

resource "lab6_server" "n97" {
  name = "server-97"
  size = 7
  tags = { group = "g9" }
}

resource "lab6_server" "n98" {
  name = "server-98"
  size = 1
  tags = { group = "g9" }
}

resource "lab6_server" "n99" {
  name = "server-99"
  size = 2
  tags = { group = "g9" }
}
