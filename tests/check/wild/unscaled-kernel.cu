// Naive attention kernel, one thread per output element.
//
// Worked example used in the unit test (d = 2, scale = 1/sqrt(2)):
//
//   Q = { {1, 0}, {0, 1}, {1, 1} }
//   K = { {1, 1}, {1, 0}, {0, 1} }
//   V = { {1, 2}, {3, 4}, {5, 6} }
//
//   S = Q K^T / sqrt(d):
//     1.0000  1.0000  0.0000
//     1.0000  0.0000  1.0000
//     2.0000  1.0000  1.0000
//
//   P = softmax(S):
//     0.4223  0.4223  0.1554
//     0.4223  0.1554  0.4223
//     0.5761  0.2119  0.2119
//
#include <cuda_runtime.h>

__global__ void attention(const float* Q, const float* K, const float* V, float* O, int n, int d) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float m = -1e30f, l = 0.f;
    for (int j = 0; j < n; ++j) {
        // ...
    }
}

static const float expected[3][2] = {  // O = P V
    { 2.4661f, 3.4661f },
    { 3.0000f, 4.0000f },
    { 2.2716f, 3.2716f },
};
