import { spawnSync } from "node:child_process";
import { accessSync, constants, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../../support/temporary.ts";

const program = "/usr/bin/xmllint";
const folders = { saml: "/usr/share/xml/opensaml", signature: "/usr/share/xml/xmltooling" };
const files = {
  protocol: join(folders.saml, "saml-schema-protocol-2.0.xsd"),
  metadata: join(folders.saml, "saml-schema-metadata-2.0.xsd"),
};
/** Where the schemas of SAML say that those of others are, and which files Debian has of them. */
const others = {
  "http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd": "xmldsig-core-schema.xsd",
  "http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd": "xenc-schema.xsd",
  "http://www.w3.org/2001/xml.xsd": "xml.xsd",
};

/** Checks documents against the schemas of OASIS. */
export interface Schemas {
  /** Returns what is wrong with the document, or an empty text. */
  complaintsOf(schema: keyof typeof files, xml: string): string;
  remove(): void;
}

/** Throws an error that says what to install when xmllint or the schemas are missing. */
export function requireSchemas(path = program): void {
  try {
    accessSync(path, constants.X_OK);
    for (const file of Object.values(files)) accessSync(file);
    for (const name of Object.values(others)) accessSync(join(folders.signature, name));
  } catch {
    throw new Error(
      "xmllint or the schemas of SAML are missing: install the packages libxml2-utils, opensaml-schemas and xmltooling-schemas (.ci/install-saml-schemas does)",
    );
  }
}

export function openSchemas(): Schemas {
  requireSchemas();
  const folder = makeTemporaryFolder();
  const catalog = join(folder.path, "catalog.xml");
  const entries = Object.entries(others).map(
    ([url, name]) => `<system systemId="${url}" uri="file://${join(folders.signature, name)}"/>`,
  );
  writeFileSync(
    catalog,
    `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">${entries.join("")}</catalog>`,
  );
  return {
    complaintsOf(schema, xml) {
      const args = ["--nonet", "--noout", "--schema", files[schema], "-"];
      const { status, stderr } = spawnSync(program, args, {
        input: xml,
        encoding: "utf8",
        env: { XML_CATALOG_FILES: catalog },
      });
      return status === 0 ? "" : stderr.replaceAll(/^file:.*\n/gm, ""); // what it says about the schemas themselves
    },
    remove: folder.remove,
  };
}
