// SPDX-License-Identifier: Apache-2.0
// The same from C++: the headers, the linkage of the names, and the library's own run-time needs.
#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

#include <unihist/unihist.h>

int main() {
    const std::array<double, 4> edges{0.0, 1.0, 10.0, 100.0};
    const std::vector<std::int32_t> values{-1, 0, 0, 1, 9, 10, 100, 101, 3};
    std::vector<std::uint64_t> counts(edges.size() - 1);
    const uh_array x = uh_array_of(UH_I32, values.data(), values.size());
    const uh_array at = uh_array_of(UH_F64, edges.data(), edges.size());
    uh_flow flow{};
    const uh_bins bins = uh_bins_between(&at);
    uh_cells cells = uh_cells_of(counts.data());
    cells.flows = &flow;
    uh_device *device = nullptr;
    uh_queue *queue = nullptr;

    uh_status status = uh_device_select("cpu", &device);
    if (status == UH_SUCCESS)
        status = uh_queue_create(device, nullptr, &queue);
    if (status == UH_SUCCESS)
        status = uh_histogram_of(queue, &x, &bins, 1, nullptr, &cells);
    if (status != UH_SUCCESS)
        std::cerr << "consumer: " << uh_last_error() << '\n';
    uh_queue_destroy(queue);
    if (status != UH_SUCCESS)
        return 1;
    const bool right = counts == std::vector<std::uint64_t>{2, 3, 2} && flow.below == 1 && flow.above == 1;
    std::cout << counts[0] << ' ' << counts[1] << ' ' << counts[2] << '\n';
    return right ? 0 : 1;
}
