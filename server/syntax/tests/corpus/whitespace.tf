


variable    "a"     "b"	{

	type	=	string   


	default   =   [

		1   ,

		2


	]   

}




locals{
a=1
b=[1,2,3]
c={a=1,b=2}
d=f(1,2)
e=a?b:c
f="${a}${b}"
g=[for x in y:x]
h={for x in y:x=>x}
}
output "x"{value=1}
output"y"{value=2}
output y z{}
    resource    x   {   }   
  
	
locals {
  a = (

    1

    +

    2

  )
  b = f (1)
  c = f	( 1 , 2 , )
  d = a [0]
  e = a .b
  g = [ ]
  h = { }
  i = {

  }
  j = [

  ]
  k = f(

  )
  l = {

    a = 1,

  }
  m = { a = 1,

    b = 2, }
}
   
