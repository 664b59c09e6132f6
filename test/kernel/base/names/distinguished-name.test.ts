import { expect, test } from "@jest/globals";
import { parseDn } from "../../../../src/kernel/base/names/distinguished-name.ts";

// RFC 4514 §4 has the examples with escapes.
test.each([
  ["CN=Staff, OU=Groups,DC=Example", "cn=staff,ou=groups,dc=example"],
  ["cn=a  b,dc=x", "CN=A B,DC=x"],
  ["cn=Lu\\C4\\8Di\\C4\\87", "cn=Lučić"],
  [
    'CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net',
    "cn=james \\22jim\\22 smith\\2c iii,dc=example,dc=net",
  ],
  ["OU=Sales+CN=J.  Smith,DC=x", "cn=j. smith+ou=sales,dc=x"],
  ["cn=a;dc=x", "cn=a,dc=x"],
])("%s and %s are one", (left, right) => {
  expect(parseDn(left)).toBeDefined();
  expect(parseDn(left)).toBe(parseDn(right));
});

test.each([
  ["cn=a,dc=x", "cn=a\\,dc=x"],
  ["cn=a,dc=x", "cn=a+dc=x"],
  ["cn=a,dc=x", "dc=x,cn=a"],
  ["cn=#61", "cn=a"],
])("%s and %s are two", (left, right) => {
  expect(parseDn(left)).toBeDefined();
  expect(parseDn(left)).not.toBe(parseDn(right));
});

test.each(["", "staff", "cn=", "cn=a,", "=a", "cn=a\\", "cn=a\\x", 'cn="a"', "cn=a,,dc=x", "cn=<a>"])(
  "%j is none",
  (text) => {
    expect(parseDn(text)).toBeUndefined();
  },
);
