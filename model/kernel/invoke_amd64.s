#include "textflag.h"

// func invoke(args unsafe.Pointer, kernel uintptr)
TEXT ·invoke(SB), NOSPLIT, $0-16
	MOVQ args+0(FP), DI
	MOVQ kernel+8(FP), AX
	JMP  AX
