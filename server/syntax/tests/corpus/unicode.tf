# Юникод – 统一码 – يونيكود 🎉
variable "größe" {
  type        = string
  description = "Größe in µm – “about”"
  default     = "naïve café"
}

variable "имя" {
  default = "значение"
}

locals {
  名前       = "値"
  composed   = "é"
  decomposed = "é"
  hangul     = "각 각"
  ligature   = "ﬁ Å Å"
  emoji      = "👨‍👩‍👧‍👦 🇩🇪 ❤️"
  rtl        = "שלום عالم"
  zero_width = "a​b‍c"
  nbsp       = "a b"
  controls   = "a	b"
  escapes    = "\u00e9\u0065\u0301\U0001f600\u200b"
  Ünïcödé    = local.größe.名前["ключ"].ñ
  objekt     = { größe = 1, "имя" = 2, (local.名前) = 3 }
  schleife   = { for ключ, значение in var.имя : "${ключ}é" => значение if значение != "нет" }
  heredoc = <<-ENDE
    é 	 tab
      日本 ${local.名前}
    ÅÅ
  ENDE
  dollar = "$é$日%🎉"
}

resource "ресурс" "имя" {
  größe = var.größe

  блок "метка" {
    名前 = local.名前
  }
}

output "größe" {
  value = ресурс.имя.größe[0].名前
}
