/* Go gets random numbers from ProcessPrng. Old versions of Wine lack this function. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T length) { return RtlGenRandom(data, length); }
