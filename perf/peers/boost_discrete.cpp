/* SPDX-License-Identifier: Apache-2.0 */
/* peer-needs: header boost/random/discrete_distribution.hpp (libboost-dev) */
/* peer-of: sample */
/* Boost.Random's samples by an alias table. */
#include "perf/peers/discrete.hpp"

#include <boost/random/discrete_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/version.hpp>

#include <string>

int main() {
    const std::string version = std::to_string(BOOST_VERSION / 100000) + "." +
                                std::to_string(BOOST_VERSION / 100 % 1000) + "." + std::to_string(BOOST_VERSION % 100);
    return DiscretePeer<boost::random::mt19937, boost::random::discrete_distribution<>>::main(
        version.c_str(), "discrete_distribution with mt19937, sample by sample");
}
