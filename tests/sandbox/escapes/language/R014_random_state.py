import random

random.seed(1)
first = random.random()
random.seed(1)
return "PWNED" if random.random() == first else "no"
