# Terraform 0.11 style, which is still valid syntax.
variable "count_of" {
  type    = "string"
  default = "3"
}

variable "tags" {
  type = "map"

  default = {
    Name = "x"
    "Env" = "dev"
  }
}

data "aws_ami" "ubuntu" {
  most_recent = true

  filter {
    name   = "name"
    values = ["ubuntu/images/hvm-ssd/ubuntu-trusty-14.04-amd64-server-*"]
  }
}

resource "aws_instance" "web" {
  count         = "${var.count_of}"
  ami           = "${data.aws_ami.ubuntu.id}"
  instance_type = "${lookup(var.types, var.env, "t2.micro")}"
  subnet_id     = "${element(aws_subnet.main.*.id, count.index)}"
  user_data     = "${file("${path.module}/user_data.sh")}"

  vpc_security_group_ids = ["${aws_security_group.a.id}", "${aws_security_group.b.*.id}"]

  tags = "${merge(var.tags, map("Name", format("web-%03d", count.index + 1)))}"

  ebs_block_device {
    device_name = "/dev/sdg"
    volume_size = "${var.size * 1.5}"
  }

  provisioner "remote-exec" {
    inline = [
      "sudo apt-get update",
      "echo ${self.private_ip} >> /tmp/ips",
    ]

    connection {
      type = "ssh"
      host = "${self.public_ip}"
    }
  }

  depends_on = ["aws_internet_gateway.gw"]
}

output "first" {
  value = "${aws_instance.web.0.public_ip}"
}

output "all" {
  value = ["${aws_instance.web.*.public_ip}"]
}

output "disks" {
  value = "${aws_instance.web.*.ebs_block_device.0.volume_size}"
}

output "both" {
  value = "${aws_instance.web.0.tags["Name"]} ${aws_instance.web.1.tags.Name}"
}
