#include<sodium.h>
