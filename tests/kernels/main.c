/* SPDX-License-Identifier: Apache-2.0 */
void tell_all(int bytes);

int main(int argc, __attribute__((unused)) char **argv) {
    tell_all(argc > 1);
    return 0;
}
