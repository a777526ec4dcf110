#include "textflag.h"

// func invoke(args unsafe.Pointer, kernel uintptr)
TEXT ·invoke(SB), NOSPLIT, $0-16
	MOVD args+0(FP), R0
	MOVD kernel+8(FP), R1
	JMP  (R1)
