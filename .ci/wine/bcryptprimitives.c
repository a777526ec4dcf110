/* Go takes its randomness from ProcessPrng, which old versions of Wine lack. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T length) { return RtlGenRandom(data, length); }
