import type { english } from "./en.ts";
import type { PartlyWords } from "./words.ts";

/** Italian. */
export const italian: PartlyWords<typeof english> = {
  login: {
    continue: "Continua",
    cancel: "Annulla",
    back: "Torna all’applicazione",
    otherWay: "Accedi in un altro modo",
    toAccount: "Vai al tuo account",
    handOver: "Se non succede nulla da sé, scegli «Continua».",
    requestId: "Richiesta {id}",
    password: {
      title: "Accedi",
      lead: "per continuare su {application}",
      names: {
        USERNAME: "nome utente",
        EMAIL: "indirizzo e-mail",
        PHONE: "telefono",
      },
      password: "Password",
      submit: "Accedi",
      wrong: "Il nome o la password non sono corretti. Controlla entrambi e riprova.",
      paused: "Ci sono stati troppi tentativi. Attendi un po’, poi riprova.",
      or: "oppure",
      nothing: "Al momento nessuno può accedere qui. Rivolgiti ai responsabili dell’applicazione.",
    },
    legal: { terms: "Condizioni d’uso", privacy: "Privacy", help: "Aiuto" },
    identityProviders: {
      google: "Accedi con Google",
    },
    directory: {
      title: "Accedi con {directory}",
      lead: "Usa il nome e la password che hai presso {directory}.",
      name: "Nome",
      password: "Password di {directory}",
    },
    account: {
      title: "Scegli un account",
      lead: "per continuare su {application}",
      use: "Continua come {name}",
      another: "Usa un altro account",
    },
    confirm: {
      title: "Continuare su {application}?",
      lead: "{application} appartiene a {organization}, che non è la tua organizzazione.",
      leadHome: "{application} appartiene a {organization}.",
      more: "Questa applicazione chiede più di quanto hai consentito finora.",
      described:
        "{application} non è registrata qui. Il sito {host} la descrive; nessuno ne ha verificato il nome.",
      registered:
        "{application} si è registrata qui da sola. Nessuno ne ha verificato il nome o la provenienza.",
      returnsTo: "In seguito sarai inviato a {place}.",
      onDevice:
        "Questo indirizzo è sul tuo dispositivo. Continua solo se hai appena avviato lì questa applicazione.",
      isNew: "Novità:",
      told: "Verrà a conoscenza di:",
      claims: {
        identity: "il tuo nome utente e un identificatore del tuo account",
        profile: "il tuo nome",
        email: "il tuo indirizzo e-mail",
        phone: "il tuo numero di telefono",
        roles: "i tuoi ruoli nel suo progetto",
        "other-roles": "i tuoi ruoli nei progetti qui sotto",
        organization: "la tua organizzazione",
      },
      metadata: "ciò che la tua organizzazione ha memorizzato su di te in «{key}»",
      offline: "l’accesso a tutto questo anche in tua assenza, fino a 90 giorni",
      audiences: "A tuo nome, l’applicazione userà anche:",
      project: "{project} di {organization}, che riceve le stesse informazioni su di te",
      resource: "{api} nel progetto {project} di {organization}",
      mayDo: "Con queste API potrà:",
      scope: "{scope} ({api})",
      api: "questo stesso servizio, con tutto ciò che qui puoi fare",
    },
    securityKey: {
      needsScript:
        "Questa pagina ha bisogno di JavaScript, perché i browser consentono solo agli script di usare una chiave di sicurezza. Attivalo, poi ricarica la pagina.",
      waiting: "Tocca la chiave di sicurezza …",
      failed: "La chiave di sicurezza non ha risposto. Verifica che sia collegata, poi riprova.",
      unsupported: "Questo browser non supporta le chiavi di sicurezza. Usa un altro browser.",
      name: "Nome della chiave di sicurezza",
      defaultName: "Chiave di sicurezza",
    },
    passkey: {
      title: "Accedi con una passkey",
      lead: "Il tuo dispositivo chiede l’impronta, il volto o un PIN. Qui non c’è nulla da digitare.",
      neededLead: "Per accedere qui non basta una password. La tua passkey è sufficiente.",
      button: "Usa una passkey",
      another: "Accedi in un altro modo",
      needsScript:
        "Questa pagina ha bisogno di JavaScript, perché i browser consentono solo agli script di usare una passkey. Attivalo, poi ricarica la pagina.",
      waiting: "Segui i passaggi mostrati dal browser …",
      failed:
        "Non è stata usata alcuna passkey. Verifica di averne una su questo dispositivo o nelle vicinanze, poi riprova.",
      unsupported: "Questo browser non supporta le passkey. Usa un altro browser.",
      wrong: "La passkey non è stata accettata. Prova con un’altra o accedi in un altro modo.",
      paused: "Ci sono stati troppi tentativi. Attendi un po’, poi riprova.",
    },
    secondFactor: {
      title: "Usa la chiave di sicurezza",
      lead: "Collegala o avvicinala al dispositivo, poi toccala quando lampeggia.",
      button: "Usa la chiave di sicurezza",
      wrong: "La chiave di sicurezza non è stata accettata. Riprova con una che hai registrato qui.",
      paused: "Ci sono stati troppi tentativi. Attendi 15 minuti, poi riprova.",
    },
    otherFactor: {
      U2F: "Usa invece una chiave di sicurezza",
      TOTP: "Usa invece un’app di autenticazione",
      RECOVERY_CODE: "Usa un codice di recupero",
      EMAIL_CODE: "Ricevi invece un codice per e-mail",
      SMS_CODE: "Ricevi invece un codice per SMS",
    },
    sentCode: {
      title: "Ricevi un codice",
      leads: {
        EMAIL_CODE: "Inviamo un codice a {address}.",
        SMS_CODE: "Inviamo un codice per SMS a {address}.",
      },
      send: "Invia codice",
      sent: "Un codice è in arrivo a {address}. È valido per 10 minuti.",
      again: "Invia un altro codice",
      wrong: "Il codice è errato. Controllalo e riprova.",
      gone: "Questo codice non può più essere usato. Inviane un altro.",
      tooMany:
        "Un codice è stato appena inviato, oppure sono stati troppi. Attendi un po’ e inviane un altro.",
      unsent: "Al momento non è possibile inviare codici. Riprova più tardi.",
    },
    totp: {
      title: "Inserisci il codice",
      lead: "Apri l’app di autenticazione e digita il codice che mostra per questo account.",
      code: "Codice",
      submit: "Continua",
      wrong: "Il codice non è corretto o è già stato usato. Attendi il codice successivo e digita quello.",
    },
    recoveryCode: {
      title: "Usa un codice di recupero",
      lead: "Digita uno dei codici di recupero che hai conservato. Ogni codice funziona una sola volta.",
      code: "Codice di recupero",
      submit: "Continua",
      wrong: "Il codice di recupero non è corretto o è già stato usato. Controllalo o usane un altro.",
    },
    newTotp: {
      title: "Aggiungi un’app di autenticazione",
      lead: "Per accedere qui serve un secondo fattore. Un’app sul tuo telefono genera i codici necessari.",
      scan: "Inquadra questa immagine con l’app.",
      picture: "Codice QR per la tua app di autenticazione",
      secret: "Se non puoi inquadrarla, digita questa chiave nell’app:",
      code: "Codice mostrato dall’app",
      submit: "Aggiungi app",
      wrong: "Il codice non è corretto. Attendi il codice successivo mostrato dall’app e digita quello.",
      expired: "È passato troppo tempo. Rimuovi l’account dall’app e inquadra la nuova immagine.",
    },
    newFactor: {
      title: "Aggiungi una chiave di sicurezza",
      lead: "Per accedere qui serve un secondo fattore. Collega una chiave di sicurezza, poi toccala quando lampeggia.",
      button: "Aggiungi chiave di sicurezza",
      wrong: "La chiave di sicurezza non è stata accettata. Riprova.",
      taken: "Questa chiave di sicurezza è già registrata. Usane un’altra.",
      impossible:
        "Per accedere serve un secondo fattore, ma qui non è possibile registrarne. Rivolgiti ai tuoi amministratori.",
    },
    reviewFactors: {
      title: "Sono tuoi?",
      lead: "Hai nuovi diritti, e qualcun altro ha configurato questi modi di accedere per te. Rimuovi tutti quelli che altri potrebbero usare.",
      kinds: {
        U2F: "Chiave di sicurezza",
        TOTP: "App di autenticazione",
        RECOVERY_CODES: "Codici di recupero",
        PASSKEY: "Passkey",
      },
      added: "Data di configurazione: {day}",
      identity: "Account presso {provider}",
      namedIdentity: "Account {identity} presso {provider}",
      keep: "Conserva",
      remove: "Rimuovi",
      missing: "Scegli per ciascuno se conservarlo o rimuoverlo.",
    },
    newPassword: {
      title: "Scegli una nuova password",
      lead: "La tua password è stata scelta da qualcun altro. Scegline una che conosci solo tu.",
      current: "Password attuale",
      password: "Nuova password",
      repeated: "Ripeti la nuova password",
      submit: "Imposta password",
      wrong: "La password attuale non è corretta. Riprova.",
      paused: "Ci sono stati troppi tentativi. Attendi un po’, poi riprova.",
      rules: {
        min_length: "La nuova password deve avere almeno {least} caratteri.",
        max_length: "La nuova password può avere al massimo 200 caratteri.",
        personal:
          "La nuova password non può essere il tuo nome utente, il tuo indirizzo e-mail o il tuo nome.",
        common:
          "Questa password è facile da indovinare. Non comporla con nomi, parole comuni, file di tasti o anni.",
        breached: "Questa password è nota da una violazione di dati. Scegline un’altra.",
        not_repeated: "Le due nuove password non coincidono. Digita due volte la stessa.",
        same: "La nuova password è quella attuale. Scegline un’altra.",
      },
    },
    forgottenPassword: {
      link: "Hai dimenticato la password?",
      title: "Hai dimenticato la password?",
      lead: "Digita il nome con cui accedi. Ti invieremo un’e-mail con un link per impostare una nuova password.",
      submit: "Invia link",
      paused: "Ci sono state troppe richieste. Attendi un po’, poi riprova.",
      sentTitle: "Controlla la posta",
      sent: "Se esiste un account con questo nome e un indirizzo e-mail verificato, un link è in arrivo. È valido per 30 minuti.",
      sentHint: "Non è arrivato nulla? Guarda nella cartella dello spam o rivolgiti ai tuoi amministratori.",
      back: "Torna all’accesso",
    },
    resetPassword: {
      title: "Scegli una password",
      lead: "D’ora in poi accederai con questa password. Su tutti gli altri tuoi dispositivi la sessione viene terminata.",
      code: "Codice",
      submit: "Imposta password",
      wrong: "Il link o il codice non è corretto, è scaduto o è già stato usato. Richiedine un altro.",
      doneTitle: "La tua password è impostata",
      done: "Puoi chiudere questa pagina e accedere dove ti serve.",
    },
    invitation: {
      title: "Scegli come accedere",
      lead: "{organization} ha creato un account per te.",
      applicationLead: "{organization} ha creato un account per te, con cui puoi usare {application}.",
      username: "Il tuo nome utente è {username}.",
      submit: "Imposta password",
      passkeyTitle: "Crea una passkey",
      passkeyLead: "Il tuo dispositivo chiede l’impronta, il volto o un PIN e conserva la passkey.",
      passkeyButton: "Crea passkey",
      passkeyName: "Passkey",
      passkeyFailed: "Non è stata creata alcuna passkey. Riprova o scegli un altro modo.",
      passkeyTaken: "Questa passkey è già in uso. Creane un’altra.",
      another: "Scegli un altro modo",
      doneTitle: "Il tuo account è pronto",
      done: "Ora puoi accedere.",
    },
    newIdentity: {
      title: "Non hai ancora un account qui",
      lead: "Hai effettuato l’accesso con {provider}.",
      namedLead: "Hai effettuato l’accesso con {provider} come {identity}.",
      noneTitle: "Non hai un account qui",
      none: "Il tuo account presso {provider} non è collegato ad alcun account qui. Rivolgiti ai tuoi amministratori.",
      namedNone:
        "Il tuo account {identity} presso {provider} non è collegato ad alcun account qui. Rivolgiti ai tuoi amministratori.",
      link: "Accedi al mio account",
      linkTitle: "Hai un account qui?",
      linkHint: "Sembra che tu abbia già un account. Accedi una volta per collegare i due.",
      linkUnknown:
        "Nessun account qui vi è collegato. Se ne hai uno, accedi una volta per collegare i due. Altrimenti rivolgiti ai tuoi amministratori.",
      linkInstead: "Collega il mio account di qui",
      create: "Crea un nuovo account",
      missing: "Un nuovo account richiede anche questo:",
      taken: "Il nome utente del tuo nuovo account è già in uso. Scegline un altro.",
      another: "Accedi in un altro modo",
    },
    linkIdentity: {
      title: "Collegare il tuo account a {provider}?",
      lead: "Potrai così accedere come {username} con il tuo account presso {provider}.",
      namedLead: "Potrai così accedere come {username} con il tuo account {identity} presso {provider}.",
      notTheirs:
        "Hai effettuato l’accesso come {username}. Questo account non può essere collegato a quello presso {provider}, quindi non è stato modificato nulla.",
      full: "Hai effettuato l’accesso come {username}. Questo account è già collegato al numero massimo di altri account, quindi non è stato collegato a quello presso {provider}. Prima scollegane uno.",
      link: "Collega",
      skip: "Continua senza collegare",
      without: "Accedi senza collegare",
    },
    ownFactor: {
      title: "Questo non basta per accedere",
      lead: "Hai un ruolo al di fuori della tua organizzazione, quindi per accedere così ti serve un secondo fattore di questo servizio. Accedi in un altro modo e aggiungine uno.",
    },
    firstPassword: {
      password: "Password",
      repeated: "Ripeti la password",
      atLeast: "Almeno {minLength} caratteri",
    },
    profile: {
      username: "Nome utente",
      givenName: "Nome",
      familyName: "Cognome",
      email: "Indirizzo e-mail",
      faults: {
        username: "Digita un nome utente di al massimo 200 caratteri visibili.",
        username_taken: "Questo nome utente è già di qualcun altro. Scegline un altro.",
        given_name: "Digita un nome di al massimo 200 caratteri visibili.",
        family_name: "Digita un cognome di al massimo 200 caratteri visibili.",
        email: "Digita un indirizzo e-mail come ada@example.com.",
      },
    },
    register: {
      title: "Crea un account",
      lead: "per continuare su {application}",
      submit: "Crea account",
      paused: "Dalla tua rete sono stati richiesti troppi account. Attendi un’ora, poi riprova.",
      hasAccount: "Hai già un account?",
      signIn: "Accedi",
      hasNone: "È la prima volta che vieni qui?",
      link: "Crea un account",
    },
    setup: {
      title: "Configura il primo amministratore",
      lead: "Il nuovo utente potrà fare tutto in questa installazione.",
      submit: "Crea amministratore",
      opensPolicy:
        "Secondo le regole di accesso di questo servizio, agli amministratori non basta una password. Se crei questo amministratore, le password saranno di nuovo consentite a tutte le persone soggette a queste regole. In seguito puoi modificare le regole.",
      goneTitle: "Questo link non funziona più",
      gone: "È già stato usato, è scaduto o non è completo. Il comando «setup link» di Gatehouse ne crea un altro.",
      factorLead:
        "Hai effettuato l’accesso. Aggiungi ora una chiave di sicurezza, in modo che una password da sola non basti per agire come amministratore.",
      totpLead:
        "Hai effettuato l’accesso. Configura ora un’app di autenticazione, in modo che una password da sola non basti per agire come amministratore.",
      skip: "Non ora",
      doneTitle: "È tutto configurato",
      done: "L’amministratore può accedere. Puoi chiudere questa pagina.",
    },
    device: {
      codeTitle: "Collega un dispositivo",
      codeLead: "Digita il codice mostrato dal tuo dispositivo.",
      code: "Codice",
      wrong:
        "Questo codice non è corretto, è già stato usato o è scaduto. Controllalo o ricomincia sul tuo dispositivo.",
      paused: "Dalla tua rete sono arrivati troppi codici errati. Attendi 15 minuti, poi riprova.",
      title: "Accedere a {application} su un dispositivo?",
      lead: "{application}, che appartiene a {organization}, lo chiede su un dispositivo che mostra il codice:",
      own: "Consentilo solo se vedi il codice su un tuo dispositivo. Se qualcuno ti ha inviato il codice o un link, scegli «Annulla»: altrimenti quella persona accederebbe come te.",
      account: "Qui hai effettuato l’accesso come {username}.",
      allow: "Consenti",
      ends: {
        allowed: {
          title: "Il tuo dispositivo ha effettuato l’accesso",
          sentence: "Puoi tornare al dispositivo e chiudere questa pagina.",
        },
        canceled: {
          title: "Non è stato consentito nulla",
          sentence: "Il dispositivo non ha effettuato l’accesso. Puoi chiudere questa pagina.",
        },
        "no-access": {
          title: "Non puoi usare questa applicazione",
          sentence:
            "Il dispositivo non ha effettuato l’accesso. Chiedi l’accesso ai responsabili dell’applicazione.",
        },
        gone: {
          title: "Questo codice non funziona più",
          sentence: "È già stato usato o è scaduto. Ricomincia sul tuo dispositivo.",
        },
      },
    },
    logout: {
      title: "Uscire?",
      lead: "La tua sessione in questo browser verrà terminata.",
      submit: "Esci",
      goingOn: "Uscita in corso",
      done: {
        title: "Sei uscito",
        sentence: "Puoi chiudere questa finestra.",
      },
      partial: {
        title: "Qui sei uscito",
        sentence:
          "Potresti essere ancora connesso ad alcune applicazioni. Per sicurezza, esci anche da quelle o chiudi il browser.",
      },
    },
    retry: {
      again: "Riprova",
      goBack: "Per riprovare, torna indietro nel browser e ripeti l’ultimo passaggio.",
      "too-many-requests": "Riprova {when}. Non è stato fatto nulla.",
      unavailable: "Riprova {when}.",
      start: "Vai alla pagina iniziale",
      openConsole: "Vai alla console",
    },
    errors: {
      "bad-request": {
        title: "Non ha funzionato",
        sentence: "La richiesta del tuo browser non è leggibile. Torna indietro e riprova.",
      },
      "begin-again": {
        title: "Ricomincia",
        sentence:
          "Questo accesso è terminato o è stato iniziato in un altro browser. Torna all’applicazione e accedi da lì.",
      },
      "signed-in": {
        title: "Hai effettuato l’accesso",
        sentence:
          "Il modulo è stato inviato due volte e la prima è bastata. Torna all’applicazione. Se te lo chiede ancora, accedi di nuovo.",
      },
      refused: {
        title: "Non hai effettuato l’accesso",
        sentence: "Questo accesso è stato annullato. Per riprovare, torna all’applicazione e accedi da lì.",
      },
      "foreign-form": {
        title: "Non ha funzionato",
        sentence:
          "Il modulo non proveniva da questo sito, quindi non è stato fatto nulla. Torna all’applicazione e accedi da lì.",
      },
      "not-a-visit": {
        title: "Apri questa pagina da sola",
        sentence:
          "Non funziona all’interno di una pagina di un altro sito. Torna all’applicazione e accedi da lì.",
      },
      "not-found": {
        title: "Qui non c’è nulla",
        sentence: "Controlla l’indirizzo e riprova.",
      },
      "bad-application-request": {
        title: "Questo accesso non può iniziare",
        sentence:
          "L’applicazione ha inviato una richiesta non valida. I suoi sviluppatori possono scoprirne il motivo.",
      },
      "bad-logout-message": {
        title: "Questa uscita non può proseguire",
        sentence:
          "L’applicazione ha inviato un messaggio non valido, quindi potresti essere ancora connesso. I suoi sviluppatori possono scoprirne il motivo.",
      },
      "logout-over": {
        title: "Questa uscita è conclusa",
        sentence:
          "È terminata o è stata iniziata in un altro browser. Torna all’applicazione e controlla se sei uscito.",
      },
      "unknown-application": {
        title: "Questo accesso non può iniziare",
        sentence: "Qui l’applicazione non è conosciuta. I suoi sviluppatori possono scoprirne il motivo.",
      },
      "unregistered-redirect": {
        title: "Questo accesso non può iniziare",
        sentence:
          "L’applicazione vuole mandarti a un indirizzo che non è registrato per essa. I suoi sviluppatori possono scoprirne il motivo.",
      },
      "inactive-application": {
        title: "Questa applicazione è disattivata",
        sentence: "Al momento nessuno può accedervi. Rivolgiti ai suoi responsabili.",
      },
      "wrong-application-settings": {
        title: "Questo accesso non può iniziare",
        sentence:
          "Le impostazioni dell’applicazione non lo consentono. Rivolgiti ai responsabili dell’applicazione.",
      },
      "invitation-over": {
        title: "Questo invito non funziona più",
        sentence:
          "Il suo link è scaduto, è già stato usato o non è completo. Se non riesci ad accedere, chiedine un altro alle persone che ti hanno invitato.",
      },
      "provider-off": {
        title: "Questo modo di accedere è disattivato",
        sentence: "Accedi in un altro modo o rivolgiti ai responsabili dell’applicazione.",
      },
      "no-account": {
        title: "Non puoi accedere con questo account",
        sentence: "Nessun utente può accedere qui con questo account. Rivolgiti ai tuoi amministratori.",
      },
      "link-in-question": {
        title: "Questo account ha bisogno della tua conferma",
        sentence:
          "Qualcun altro lo ha collegato al tuo account qui. Accedi in un altro modo e indica se è tuo, oppure rivolgiti ai tuoi amministratori.",
      },
      "provider-denied": {
        title: "Non hai effettuato l’accesso",
        sentence:
          "L’accesso è stato annullato, oppure l’altro servizio non ti ha fatto entrare. Riprova o accedi in un altro modo.",
      },
      "provider-refused": {
        title: "Non hai effettuato l’accesso",
        sentence:
          "La risposta dell’altro servizio non è utilizzabile. Riprova o rivolgiti ai responsabili dell’applicazione.",
      },
      "provider-login-old": {
        title: "Serve un nuovo accesso",
        sentence:
          "L’altro servizio non ti ha chiesto di accedere di nuovo o non dice quando lo hai fatto. Esci da lì e riprova, oppure accedi in un altro modo.",
      },
      "provider-unavailable": {
        title: "Al momento non puoi accedere da lì",
        sentence: "L’altro servizio non risponde. Riprova tra qualche minuto o accedi in un altro modo.",
      },
      "hook-refused": {
        title: "Non può accedere qui",
        sentence:
          "L’organizzazione che gestisce l’applicazione non La lascia entrare. Seguono le sue parole, se ne ha date.",
      },
      "hook-failed": {
        title: "Al momento non può accedere",
        sentence:
          "Non è stato possibile fare un controllo richiesto dall’organizzazione. Riprovi tra qualche minuto.",
      },
      "wrong-verb": {
        title: "Non ha funzionato",
        sentence: "Questo indirizzo non può essere usato in questo modo. Torna indietro e riprova.",
      },
      "too-large": {
        title: "Era troppo grande",
        sentence: "Torna indietro e riprova con meno testo.",
      },
      "too-many-requests": {
        title: "Troppo traffico al momento",
        sentence: "Attendi un momento, poi riprova. Non è stato fatto nulla.",
      },
      unavailable: {
        title: "Al momento non è possibile",
        sentence: "Attendi un momento, poi riprova.",
      },
      fault: {
        title: "Qualcosa è andato storto",
        sentence: "L’errore è nostro. Riprova più tardi o avvisa i responsabili di questo servizio.",
      },
    },
  },
  account: {
    title: "Il tuo account",
    back: "Il tuo account",
    lead: "Hai effettuato l’accesso come {name}.",
    more: "Mostra altro",
    remove: "Rimuovi",
    signOut: "Esci",
    unknown: "Non indicato",
    verified: "verificato",
    unverified: "non verificato",
    places: {
      profile: {
        title: "Dati personali",
        hint: "Che cosa è memorizzato su di te",
      },
      email: {
        title: "E-mail",
        hint: "L’indirizzo usato se dimentichi la password",
      },
      phone: {
        title: "Telefono",
        hint: "Il numero al quale puoi essere raggiunto",
      },
      password: {
        title: "Password",
        hint: "Cambia la password con cui accedi",
      },
      passkeys: {
        title: "Passkey",
        hint: "Accedi senza password",
      },
      factors: {
        title: "Secondi fattori",
        hint: "Che cosa ti protegge se qualcuno scopre la tua password",
      },
      "recovery-codes": {
        title: "Codici di recupero",
        hint: "Per quando hai perso il secondo fattore",
      },
      links: {
        title: "Account collegati",
        hint: "Account esterni con cui accedi",
      },
      sessions: {
        title: "Sessioni",
        hint: "I browser in cui hai effettuato l’accesso",
      },
      applications: {
        title: "Applicazioni",
        hint: "Applicazioni che possono vedere i tuoi dati o agire per te",
      },
      tokens: {
        title: "Token di accesso personali",
        hint: "Programmi che agiscono a tuo nome",
      },
    },
    profile: {
      lead: "Questi dati sono gestiti dai tuoi amministratori. Rivolgiti a loro se qualcosa non è corretto.",
      labels: {
        username: "Nome utente",
        displayName: "Nome visualizzato",
        name: "Nome",
        email: "Indirizzo e-mail",
        language: "Lingua",
        organization: "Organizzazione",
      },
    },
    phone: {
      lead: "Riceverai un codice per SMS, che dimostra che il numero è tuo.",
      label: "Numero di telefono",
      example: "Con il prefisso internazionale, ad esempio +41 44 668 18 00",
      set: "Invia codice",
      replace: "Usa un altro numero",
      remove: "Rimuovi numero",
    },
    email: {
      lead: "Riceverai un codice per e-mail, che dimostra che l’indirizzo è tuo.",
      label: "Indirizzo e-mail",
      replace: "Usa un altro indirizzo",
      set: "Invia codice",
      same: "Questo è già il tuo indirizzo.",
    },
    codes: {
      lead: "Digita il codice inviato a {address}.",
      code: "Codice",
      verify: "Verifica",
      resend: "Invia un altro codice",
    },
    password: {
      lead: "Tutte le altre tue sessioni terminano e le applicazioni devono accedere di nuovo.",
      changed: "Ultima modifica: {date}.",
      submit: "Cambia password",
      none: "Non hai una password. Per averne una, scegli «Hai dimenticato la password?» quando accedi, oppure rivolgiti ai tuoi amministratori.",
    },
    passkeys: {
      lead: "Puoi accedere con ciascuna di queste, senza password.",
      none: "Non hai una passkey. Con una passkey accedi con l’impronta, il volto o un PIN, e nessuno può rubare una password.",
      added: "Data di aggiunta: {date}",
      copied: "copiata sugli altri tuoi dispositivi",
      add: "Aggiungi passkey",
      newTitle: "Aggiungi una passkey",
      newLead: "Il tuo dispositivo chiede l’impronta, il volto o un PIN e conserva la passkey.",
      name: "Nome della passkey",
      defaultName: "Passkey",
      button: "Aggiungi passkey",
      wrong: "La passkey non è stata accettata. Riprova.",
      failed:
        "Non è stata creata alcuna passkey. Forse questo dispositivo ne ha già una o non le supporta. Riprova o usa un altro dispositivo.",
      impossible: "Qui non è possibile registrare passkey. Rivolgiti ai tuoi amministratori.",
      removeTitle: "Rimuovere questa passkey?",
      removeLead: "Non potrai più accedere con «{name}». Eliminala anche sul tuo dispositivo.",
    },
    factors: {
      lead: "Dopo la password ti viene chiesto uno di questi.",
      none: "Non hai un secondo fattore: chiunque abbia la tua password può accedere come te.",
      added: "Data di aggiunta: {date}",
      app: "App di autenticazione",
      add: "Aggiungi chiave di sicurezza",
      addApp: "Aggiungi app di autenticazione",
      codes: { EMAIL_CODE: "Codici per e-mail", SMS_CODE: "Codici per SMS" },
      addCodes: { EMAIL_CODE: "Aggiungi codici per e-mail", SMS_CODE: "Aggiungi codici per SMS" },
      newLead: "Collegala o avvicinala al dispositivo, poi toccala quando lampeggia.",
      impossible:
        "Qui non è possibile registrare un fattore di questo tipo. Rivolgiti ai tuoi amministratori.",
      removeTitle: "Rimuovere questo secondo fattore?",
      removeLead: "Non potrai più accedere con «{name}».",
      codesLead: "Non hai codici di recupero. Senza di essi non puoi accedere se perdi il secondo fattore.",
      makeCodes: "Crea codici di recupero",
    },
    recoveryCodes: {
      lead: "Con ogni codice accedi una volta, dopo la password, se hai perso il secondo fattore.",
      none: "Non hai codici di recupero.",
      made: "Data di creazione dei codici: {date}. Codici non usati: {remaining}.",
      make: "Crea codici di recupero",
      replace: "Sostituisci tutti i codici con codici nuovi",
      remove: "Rimuovi tutti i codici",
      keep: "Stampa questi codici o conservali in un luogo sicuro. Vengono mostrati solo ora. I codici precedenti non funzionano più.",
      kept: "Li ho conservati",
    },
    links: {
      lead: "Puoi accedere qui con questi account.",
      none: "Non hai account esterni con cui accedere qui.",
      made: "Data del collegamento: {date}",
      remove: "Rimuovi ({name})",
    },
    sessions: {
      lead: "Se non riconosci una sessione, terminala e cambia la password.",
      current: "Questa sessione",
      begun: "Accesso del {date}",
      from: "da {address}",
      by: "con {methods}",
      end: "Termina sessione ({browser})",
      endOthers: "Termina tutte le altre sessioni",
      othersLead: "Anche le applicazioni che usi in altre sessioni dovranno accedere di nuovo.",
      browser: "{browser} su {system}",
      unknownBrowser: "Browser sconosciuto",
      methods: {
        PASSWORD: "password",
        U2F: "chiave di sicurezza",
        PASSKEY: "passkey",
        TOTP: "app di autenticazione",
        RECOVERY_CODE: "codice di recupero",
        IDP: "un altro account",
        EMAIL_CODE: "codice per e-mail",
        SMS_CODE: "codice per SMS",
      },
    },
    applications: {
      lead: "Hai consentito a queste applicazioni di vedere i tuoi dati o di agire per te.",
      none: "Non hai consentito ad alcuna applicazione di agire per te.",
      since: "Può agire per te in tua assenza, dal {date}",
      onlyThen: "Vede i tuoi dati quando vi accedi",
      remove: "Revoca accesso ({application})",
    },
    tokens: {
      lead: "Chiunque abbia uno di questi token può agire a tuo nome. Rimuovi tutti quelli che non ti servono.",
      none: "Non hai token di accesso personali.",
      name: "Token {id}",
      made: "Data di creazione: {date}",
      expires: "Scadenza: {date}",
      forever: "Non scade mai",
      remove: "Rimuovi ({name})",
    },
    outdated: {
      title: "Questa pagina non era aggiornata",
      lead: "Hai effettuato di nuovo l’accesso da quando è stata mostrata, oppure il modulo proveniva da altrove. Non è stato modificato nulla.",
      again: "Mostra di nuovo la pagina",
    },
    refused: {
      title: "Non hai effettuato l’accesso",
      lead: "L’accesso è stato annullato, oppure hai usato un account diverso. Non è stato modificato nulla.",
      again: "Torna al tuo account",
    },
    tooWeak: {
      title: "Serve il tuo secondo fattore",
      lead: "Hai un secondo fattore, ma hai effettuato l’accesso senza usarlo. Esci, poi accedi usandolo. Se non ti viene chiesto, rivolgiti ai tuoi amministratori.",
    },
    signedOut: {
      again: "Accedi di nuovo",
    },
    done: {
      "password-set": "La tua password è stata cambiata.",
      "email-set": "L’indirizzo è stato salvato e un codice è in arrivo.",
      "email-verified": "L’indirizzo è verificato.",
      "phone-set": "Il numero è stato salvato e un codice è in arrivo.",
      "phone-verified": "Il numero è verificato.",
      "phone-removed": "Il numero è stato rimosso.",
      "code-sent": "Un altro codice è in arrivo.",
      "passkey-added": "La passkey è stata aggiunta.",
      "passkey-removed": "La passkey è stata rimossa.",
      "factor-added": "Il secondo fattore è stato aggiunto.",
      "factor-removed": "Il secondo fattore è stato rimosso.",
      "codes-removed": "I tuoi codici di recupero sono stati rimossi.",
      "link-removed": "L’account non è più collegato.",
      "session-ended": "La sessione è stata terminata.",
      "sessions-ended": "Tutte le altre sessioni sono state terminate.",
      "application-removed": "L’accesso dell’applicazione è stato revocato.",
      "token-removed": "Il token è stato rimosso.",
    },
    faults: {
      ALREADY_EXISTS: "Questo dispositivo è già registrato. Usane un altro.",
      CODE_EXHAUSTED: "Ci sono stati troppi codici errati. Fattene inviare un altro.",
      CODE_EXPIRED: "Il codice è scaduto. Fattene inviare un altro.",
      CODE_INVALID: "Il codice non è corretto. Controllalo e riprova.",
      CODE_NOT_PENDING: "Non c’è alcun codice da inserire. Fattene inviare uno.",
      FIELD_INVALID: "Non può essere usato. Controlla quello che hai digitato.",
      LIMIT_REACHED: "Hai raggiunto il numero massimo. Prima rimuovine uno.",
      LOCKS_OUT:
        "Amministri questo servizio e dopo non potresti più accedere. Aggiungi prima un altro modo di accedere.",
      LOGIN_PAUSED: "Ci sono stati troppi tentativi. Attendi un po’, poi riprova.",
      MAIL_NOT_CONFIGURED: "Al momento non è possibile inviare e-mail. Rivolgiti ai tuoi amministratori.",
      PASSWORD_INVALID: "La password attuale non è corretta. Riprova.",
      RATE_LIMITED: "Ci sono stati troppi tentativi. Attendi un po’, poi riprova.",
      SMS_NOT_CONFIGURED: "Al momento non è possibile inviare SMS. Rivolgiti ai tuoi amministratori.",
      TOTP_INVALID:
        "Il codice non è corretto o è già stato usato. Attendi il codice successivo e digita quello.",
      U2F_CHALLENGE_INVALID: "È passato troppo tempo, oppure è stato inviato due volte. Riprova.",
    },
  },
  mails: {
    verification: {
      subject: "Verifica il tuo indirizzo e-mail",
      text: "Ciao,\n\nil tuo codice di verifica è {code}. È valido per {minutes} minuti.\n\nSe non l’hai richiesto, puoi ignorare questa e-mail.",
    },
    password: {
      subject: "Imposta la tua password",
      text: "Ciao,\n\ncon questo link imposti la password del tuo account. È valido per {minutes} minuti e funziona una sola volta:\n\n{link}\n\nSe non l’hai richiesto, puoi ignorare questa e-mail: non cambia nulla finché il link non viene usato.",
    },
    invitation: {
      subject: "Il tuo invito da {organization}",
      text: "Ciao,\n\n{organization} ha creato un account per te. Scegli come accedere:\n\n{link}\n\nIl link è valido per {days} giorni e funziona una sola volta.\n\nSe non conosci {organization}, puoi ignorare questa e-mail: non succede nulla finché il link non viene usato.",
    },
    applicationInvitation: {
      subject: "Il tuo invito a usare {application}",
      text: "Ciao,\n\n{organization} ha creato un account per te, con cui puoi usare {application}. Scegli come accedere:\n\n{link}\n\nIl link è valido per {days} giorni e funziona una sola volta.\n\nSe non conosci {organization}, puoi ignorare questa e-mail: non succede nulla finché il link non viene usato.",
    },
  },
  sms: {
    verification: "{code} è il tuo codice di verifica. È valido per {minutes} minuti.",
  },
  notices: {
    subject: "I tuoi dati di accesso sono cambiati",
    greeting: "Ciao,\n\nnel tuo account è cambiato questo:",
    changes: {
      password_added: "È stata impostata una password",
      password_changed: "La password è stata cambiata",
      password_removed: "La password è stata rimossa",
      passkey_added: "È stata aggiunta una passkey",
      passkey_removed: "È stata rimossa una passkey",
      security_key_added: "È stata aggiunta una chiave di sicurezza come secondo fattore",
      security_key_removed: "È stata rimossa una chiave di sicurezza",
      authenticator_app_added: "È stata aggiunta un’app di autenticazione come secondo fattore",
      authenticator_app_removed: "È stata rimossa un’app di autenticazione",
      sent_codes_added: "Sono stati aggiunti codici per e-mail o SMS come secondo fattore",
      sent_codes_removed: "Sono stati rimossi i codici per e-mail o SMS come secondo fattore",
      recovery_codes_added: "Sono stati creati codici di recupero",
      recovery_codes_replaced: "Nuovi codici di recupero hanno sostituito i precedenti",
      recovery_codes_removed: "I codici di recupero sono stati rimossi",
      recovery_code_used: "Un codice di recupero è stato usato per accedere",
      provider_link_added: "L’account è stato collegato a un provider di identità con cui si può accedere",
      provider_link_removed: "Il collegamento a un provider di identità è stato rimosso",
      username_changed: "Il nome utente è stato cambiato",
      email_changed:
        "L’indirizzo e-mail è stato cambiato; fino ad allora era quello a cui è stata inviata questa e-mail",
      email_removed:
        "L’indirizzo e-mail è stato rimosso; fino ad allora era quello a cui è stata inviata questa e-mail",
      personal_access_token_added: "È stato creato un token di accesso personale",
      personal_access_token_removed: "È stato rimosso un token di accesso personale",
    },
    at: "{date} (UTC)",
    byAccount: "Da qualcuno che usa il tuo account",
    byAccountAt: "Da qualcuno che usa il tuo account, dall’indirizzo {address}",
    byAdministrator: "Da un amministratore",
    byNamedAdministrator: "Da un amministratore di nome {name}",
    byService: "Dal servizio stesso",
    more: "Altre modifiche: {count}.",
    expected: "Se sei stato tu o ne sei a conoscenza, non devi fare nulla.",
    unexpected:
      "Altrimenti controlla subito il tuo account: cambia la password, rimuovi tutto ciò che non riconosci e termina tutte le altre sessioni.",
    lockedOut: "Se non riesci più ad accedere, chiedi aiuto a un amministratore della tua organizzazione.",
  },
  front: {
    start: {
      title: "Gatehouse è in funzione",
      lead: "Qui accedono persone e programmi. Decidi chi può fare che cosa nella console o tramite l’API.",
      openConsole: "Apri la console",
      api: "I programmi chiamano l’API con gRPC, gRPC-web o JSON. Ogni chiamata è descritta in",
      firstAdministrator:
        "Il primo amministratore si registra con il link contenuto in questo file su questa macchina:",
      anotherLink: "Questo comando crea un altro link:",
    },
    notBuilt: {
      title: "La console non è stata compilata",
      lead: "I suoi file mancano. Esegui questo comando dove è installato Gatehouse, poi ricarica questa pagina:",
    },
  },
};
