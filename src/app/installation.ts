// The part of the service that every command needs. It imports neither rpcs nor the port: loading them takes longer
// than most commands.
import { type Clock, systemClock } from "../kernel/base/clock.ts";
import type { WriteTransaction } from "../kernel/base/database.ts";
import { createKeyring, type MasterKey, newMasterKeyText, parseMasterKeys } from "../kernel/base/keyring.ts";
import type { Leadership } from "../kernel/base/leadership.ts";
import { type Random, systemRandom } from "../kernel/base/random.ts";
import { createEventLog } from "../kernel/events/event-log.ts";
import type { EventDefinitions } from "../kernel/events/catalogue.ts";
import type { OnUnreadable } from "../kernel/events/event-row.ts";
import { createPersonalData } from "../kernel/events/personal-data.ts";
import { type ActivityCounter, createActivityCounter } from "../identity/activity/counter.ts";
import { activityProjection } from "../identity/activity/repository.ts";
import { rightEventProjection } from "../identity/as-of/repository.ts";
import { applicationProjection } from "../identity/applications/repository.ts";
import { exchangedTokenProjection } from "../identity/logins/access-tokens/repository.ts";
import { authorizationProjection } from "../identity/logins/authorizations/repository.ts";
import { claimMappingProjection } from "../identity/claim-mappings/repository.ts";
import type { FeatureContext } from "../identity/context.ts";
import { deviceAuthorizationProjection } from "../identity/protocol-state/device-authorizations/repository.ts";
import { groupGrantProjection } from "../identity/group-grants/repository.ts";
import { groupProjection } from "../identity/groups/repository.ts";
import { hookProjection } from "../identity/hooks/hook/repository.ts";
import { targetProjection } from "../identity/targets/target/repository.ts";
import { identityProviderProjection } from "../identity/providers/repository.ts";
import { createInstanceCommands, type InstanceCommands } from "../identity/instance/commands.ts";
import { refoldUniqueNames } from "../identity/instance/unique-name-repository.ts";
import { wrapUserKeys } from "../identity/instance/user-keys.ts";
import { interactionProjection } from "../identity/logins/interactions/repository.ts";
import { jwtLoginProjection } from "../identity/protocol-state/jwt-logins/repository.ts";
import { knownBrowserProjection } from "../identity/logins/known-browsers/repository.ts";
import { externalClientsProjection } from "../identity/applications/external/repository.ts";
import { labelPolicyProjection } from "../identity/branding/repository.ts";
import { loginPolicyProjection } from "../identity/policies/repository.ts";
import { customTextsProjection } from "../identity/texts/repository.ts";
import { logoutNoticeProjection } from "../identity/protocol-state/logout-notices/repository.ts";
import { formerMemberProjection } from "../identity/memberships/former-member-repository.ts";
import { membershipProjection } from "../identity/memberships/repository.ts";
import { organizationProjection } from "../identity/organizations/repository.ts";
import { metadataProjection } from "../identity/metadata/repository.ts";
import { projectProjection } from "../identity/projects/repository.ts";
import { providerVisitProjection } from "../identity/protocol-state/provider-visits/repository.ts";
import { pushedRequestProjection } from "../identity/protocol-state/pushed-requests/repository.ts";
import { samlLogoutProjection } from "../identity/protocol-state/saml-logouts/repository.ts";
import { samlParticipationProjection } from "../identity/logins/saml-participations/repository.ts";
import { securityNoticeProjection } from "../identity/security-notices/repository.ts";
import { fillSearchWords, searched } from "../identity/instance/search-words.ts";
import { sessionProjection } from "../identity/logins/sessions/repository.ts";
import { signingKeyProjection } from "../identity/signing-keys/repository.ts";
import { samlKeyProjection } from "../identity/signing-keys/saml-key-repository.ts";
import { userGrantProjection } from "../identity/user-grants/repository.ts";
import { userProjection } from "../identity/user-service/repository.ts";
import { type DataFolder, DataFolderError } from "../kernel/storage/data-folder.ts";
import { requireUnsealed } from "../kernel/storage/copy/seal.ts";
import type { HeldPlace, Place, PlaceOptions, TakeOptions } from "../kernel/storage/place.ts";
import { placeOf } from "../kernel/storage/places/place-of.ts";

/** An installation, opened at its place: a data folder or a database. */
export interface Installation {
  readonly place: Place;
  readonly folder: DataFolder;
  readonly context: FeatureContext;
  /** Says whether this process does the work in the background. */
  readonly leadership: Leadership;
  readonly instance: InstanceCommands;
  /** What this process has counted and not stored yet. */
  readonly activity: ActivityCounter;
  /**
   * Reads the key file again, and encrypts from now on with the key that all processes encrypt with. When it cannot be
   * used, throws as `openInstallation` does, and the keys stay as they were.
   */
  reloadKeys(): Promise<void>;
  /** Runs `fn` in one transaction, like `write` of the database, however long it takes. */
  writeLong<T>(fn: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
  /** Closes, and removes everything that this process made in a data folder if there was no database before. */
  discard(): Promise<void>;
}

/** The projections of all features, in the order in which their tables refer to each other. */
export const projections = [
  organizationProjection,
  userProjection,
  identityProviderProjection,
  targetProjection,
  projectProjection,
  userGrantProjection,
  formerMemberProjection,
  groupProjection,
  groupGrantProjection,
  membershipProjection,
  rightEventProjection,
  applicationProjection,
  metadataProjection,
  claimMappingProjection,
  hookProjection,
  signingKeyProjection,
  samlKeyProjection,
  sessionProjection,
  authorizationProjection,
  logoutNoticeProjection,
  exchangedTokenProjection,
  deviceAuthorizationProjection,
  loginPolicyProjection,
  labelPolicyProjection,
  externalClientsProjection,
  customTextsProjection,
  interactionProjection,
  jwtLoginProjection,
  providerVisitProjection,
  pushedRequestProjection,
  samlParticipationProjection,
  knownBrowserProjection,
  samlLogoutProjection,
  securityNoticeProjection,
  ...searched.map(({ projection }) => projection),
  activityProjection,
];

/** How a place is opened, and what replaces clock and randomness in tests. */
export interface InstallationOptions extends TakeOptions {
  /** Opened instead of the place that the options name. */
  readonly place?: Place | undefined;
  /** Opens also a place that a copy has sealed. */
  readonly isSealedAllowed?: boolean;
  /** Called when the disk did not confirm a commit; must end the process. */
  readonly onFatal?: (error: Error) => void;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** As in the options of the database. */
  readonly maxWaitingWrites?: number | undefined;
  /** As in the options of the database. */
  readonly maxReadConnections?: number | undefined;
  /** Called when a read of the log had to leave out something unreadable. */
  readonly onUnreadable?: OnUnreadable | undefined;
  /** As in the parts of the event log, for tests. */
  readonly definitions?: EventDefinitions | undefined;
}

/**
 * Takes the place for this process and opens it. Throws errors that `cli/explain` can explain to a person. If it throws, the data
 * folder stays unchanged.
 */
export async function openInstallation(
  where: PlaceOptions,
  options: InstallationOptions,
): Promise<Installation> {
  const place = options.place ?? (await placeOf(where));
  const held = await place.take(options);
  let context: FeatureContext | undefined;
  const end = async (undo: HeldPlace["undo"]) => {
    await context?.database.close();
    undo();
    await held.release();
  };
  const discard = () => end(() => held.undo());
  try {
    const activity = createActivityCounter();
    const opened = await openContext(place, held, { ...options, onRecorded: activity.observe });
    context = opened;
    if (options.isSealedAllowed !== true) await opened.database.read((tx) => requireUnsealed(tx, place.name));
    const instance = createInstanceCommands(opened, place);
    await instance.checkMasterKeys();
    await wrapUserKeys(opened);
    await refoldUniqueNames(opened);
    await fillSearchWords(opened);
    return {
      place,
      folder: place.folder,
      context: opened,
      leadership: held.leadership,
      instance,
      activity,
      reloadKeys: () => reloadKeys(place, opened),
      writeLong: (fn) => held.writeLong(opened.database, fn),
      close: () => end(() => {}),
      discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function openContext(
  { keyFile }: Place,
  held: HeldPlace,
  options: InstallationOptions & { readonly onRecorded: ActivityCounter["observe"] },
): Promise<FeatureContext> {
  const {
    clock = systemClock,
    onFatal = rethrow,
    random = systemRandom,
    maxWaitingWrites,
    maxReadConnections,
  } = options;
  const text = held.readMasterKeys(() => newMasterKeyText(random));
  const keyring = createKeyring(parseKeyFile(keyFile, text), random);
  const database = await held.openDatabase({ clock, random, onFatal, maxWaitingWrites, maxReadConnections });
  const personalData = createPersonalData(keyring, random, database);
  return {
    database,
    log: createEventLog({
      projections,
      personalData,
      isFailure: database.isFailure,
      onUnreadable: options.onUnreadable,
      onRecorded: options.onRecorded,
      definitions: options.definitions,
    }),
    clock,
    random,
    keyring,
    personalData,
  };
}

async function reloadKeys(place: Place, context: FeatureContext): Promise<void> {
  const keys = parseKeyFile(place.keyFile, place.readKeyFile());
  const keyring = createKeyring(keys, context.random);
  await createInstanceCommands({ ...context, keyring }, place).checkMasterKeys();
  context.keyring.replace(keys, keyring.sealingKeyId);
}

function parseKeyFile(file: string, text: string): readonly MasterKey[] {
  try {
    return parseMasterKeys(text);
  } catch (error) {
    throw new DataFolderError(`${file} is damaged: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
}

function rethrow(error: Error): never {
  throw error;
}
