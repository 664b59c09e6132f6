import { expect, test } from "@jest/globals";
import { guessProfile } from "../../src/console/pages/users/guessed-profile.ts";

test.each([
  ["ada.lovelace@example.com", "Ada", "Lovelace"],
  ["ada@example.com", "Ada", "Example"],
  ["jean-luc.de_la.tour@bahn.example", "Jean", "Luc De La Tour"],
  ["ÉMILE.zola+news@écoles.example", "ÉMILE", "Zola News"],
  ["o’brien@example.com", "O’brien", "Example"],
  [" grace.hopper7@example.com ", "Grace", "Hopper"],
])("%s is the username of %s %s", (email, givenName, familyName) => {
  expect(guessProfile(email)).toEqual({ username: email.trim(), givenName, familyName });
});

test.each(["", "ada", "ada@", "@example.com", "42@example.com"])(
  "%j says nothing about a person",
  (email) => {
    expect(guessProfile(email)).toEqual({ username: "", givenName: "", familyName: "" });
  },
);
