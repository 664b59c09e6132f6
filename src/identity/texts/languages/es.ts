import type { english } from "./en.ts";
import type { PartlyWords } from "./words.ts";

/** Spanish. */
export const spanish: PartlyWords<typeof english> = {
  login: {
    continue: "Continuar",
    cancel: "Cancelar",
    back: "Volver a la aplicación",
    otherWay: "Iniciar sesión de otra forma",
    toAccount: "Ir a su cuenta",
    handOver: "Si no ocurre nada por sí solo, elija «Continuar».",
    requestId: "Solicitud {id}",
    password: {
      title: "Iniciar sesión",
      lead: "para continuar a {application}",
      names: {
        USERNAME: "nombre de usuario",
        EMAIL: "correo electrónico",
        PHONE: "teléfono",
      },
      password: "Contraseña",
      submit: "Iniciar sesión",
      wrong: "El nombre o la contraseña no son correctos. Revise ambos e inténtelo de nuevo.",
      paused: "Ha habido demasiados intentos. Espere un rato e inténtelo de nuevo.",
      or: "o",
      nothing:
        "Nadie puede iniciar sesión aquí en este momento. Pregunte a los responsables de la aplicación.",
    },
    legal: { terms: "Condiciones de uso", privacy: "Privacidad", help: "Ayuda" },
    identityProviders: {
      google: "Iniciar sesión con Google",
    },
    directory: {
      title: "Iniciar sesión con {directory}",
      lead: "Use el nombre y la contraseña que tiene en {directory}.",
      name: "Nombre",
      password: "Contraseña de {directory}",
    },
    account: {
      title: "Elija una cuenta",
      lead: "para continuar a {application}",
      use: "Continuar como {name}",
      another: "Usar otra cuenta",
    },
    confirm: {
      title: "¿Continuar a {application}?",
      lead: "{application} pertenece a {organization}, que no es su organización.",
      leadHome: "{application} pertenece a {organization}.",
      more: "Esta aplicación pide más de lo que usted ha permitido antes.",
      described:
        "{application} no está registrada aquí. El sitio {host} la describe; nadie ha comprobado su nombre.",
      registered:
        "{application} se ha registrado aquí por sí misma. Nadie ha comprobado su nombre ni su origen.",
      returnsTo: "Después se le enviará a {place}.",
      onDevice:
        "Esa dirección está en su propio dispositivo. Continúe solo si acaba de iniciar allí esta aplicación.",
      isNew: "Nuevo:",
      told: "Conocerá:",
      claims: {
        identity: "su nombre de usuario y un identificador de su cuenta",
        profile: "su nombre",
        email: "su dirección de correo electrónico",
        phone: "su número de teléfono",
        roles: "sus roles en el proyecto de la aplicación",
        "other-roles": "sus roles en los proyectos indicados abajo",
        organization: "su organización",
      },
      metadata: "lo que su organización ha guardado sobre usted en «{key}»",
      offline: "acceso a todo esto en su ausencia, durante un máximo de 90 días",
      audiences: "En su nombre, la aplicación también usará:",
      project: "{project} de {organization}, que recibe la misma información sobre usted",
      resource: "{api} en el proyecto {project} de {organization}",
      mayDo: "Con estas API podrá:",
      scope: "{scope} ({api})",
      api: "este mismo servicio, con todo lo que usted puede hacer aquí",
    },
    securityKey: {
      needsScript:
        "Esta página necesita JavaScript, porque los navegadores solo permiten usar llaves de seguridad a los scripts. Actívelo y vuelva a cargar la página.",
      waiting: "Toque su llave de seguridad …",
      failed: "La llave de seguridad no ha respondido. Compruebe que está conectada e inténtelo de nuevo.",
      unsupported: "Este navegador no admite llaves de seguridad. Use otro navegador.",
      name: "Nombre de la llave de seguridad",
      defaultName: "Llave de seguridad",
    },
    passkey: {
      title: "Iniciar sesión con una llave de acceso",
      lead: "Su dispositivo le pedirá la huella, el rostro o un PIN. Aquí no hay nada que escribir.",
      neededLead: "Para iniciar sesión aquí no basta una contraseña. Su llave de acceso es suficiente.",
      button: "Usar una llave de acceso",
      another: "Iniciar sesión de otra forma",
      needsScript:
        "Esta página necesita JavaScript, porque los navegadores solo permiten usar llaves de acceso a los scripts. Actívelo y vuelva a cargar la página.",
      waiting: "Siga los pasos que muestra su navegador …",
      failed:
        "No se ha usado ninguna llave de acceso. Compruebe que tiene una en este dispositivo o cerca de él e inténtelo de nuevo.",
      unsupported: "Este navegador no admite llaves de acceso. Use otro navegador.",
      wrong: "La llave de acceso no se ha aceptado. Pruebe con otra o inicie sesión de otra forma.",
      paused: "Ha habido demasiados intentos. Espere un rato e inténtelo de nuevo.",
    },
    secondFactor: {
      title: "Use su llave de seguridad",
      lead: "Conéctela o acérquela al dispositivo y tóquela cuando parpadee.",
      button: "Usar la llave de seguridad",
      wrong: "La llave de seguridad no se ha aceptado. Inténtelo de nuevo con una que haya registrado aquí.",
      paused: "Ha habido demasiados intentos. Espere 15 minutos e inténtelo de nuevo.",
    },
    otherFactor: {
      U2F: "Usar una llave de seguridad en su lugar",
      TOTP: "Usar una aplicación de autenticación en su lugar",
      RECOVERY_CODE: "Usar un código de recuperación",
      EMAIL_CODE: "Recibir un código por correo electrónico",
      SMS_CODE: "Recibir un código por SMS",
    },
    sentCode: {
      title: "Recibir un código",
      leads: {
        EMAIL_CODE: "Enviamos un código a {address}.",
        SMS_CODE: "Enviamos un código por SMS a {address}.",
      },
      send: "Enviar código",
      sent: "Un código va en camino a {address}. Es válido durante 10 minutos.",
      again: "Enviar otro código",
      wrong: "El código es incorrecto. Compruébelo e inténtelo de nuevo.",
      gone: "Este código ya no se puede usar. Envíe otro.",
      tooMany: "Se acaba de enviar un código, o hubo demasiados. Espere un poco y envíe otro.",
      unsent: "En este momento no se puede enviar ningún código. Inténtelo más tarde.",
    },
    totp: {
      title: "Introduzca su código",
      lead: "Abra su aplicación de autenticación y escriba el código que muestra para esta cuenta.",
      code: "Código",
      submit: "Continuar",
      wrong: "El código no es correcto o ya se ha usado. Espere al siguiente código y escríbalo.",
    },
    recoveryCode: {
      title: "Usar un código de recuperación",
      lead: "Escriba uno de los códigos de recuperación que ha guardado. Cada código funciona una vez.",
      code: "Código de recuperación",
      submit: "Continuar",
      wrong: "El código de recuperación no es correcto o ya se ha usado. Revíselo o use otro.",
    },
    newTotp: {
      title: "Añadir una aplicación de autenticación",
      lead: "Para iniciar sesión aquí necesita un segundo factor. Una aplicación de su teléfono genera códigos para ello.",
      scan: "Escanee esta imagen con la aplicación.",
      picture: "Código QR para su aplicación de autenticación",
      secret: "Si no puede escanearla, escriba esta clave en la aplicación:",
      code: "Código que muestra la aplicación",
      submit: "Añadir la aplicación",
      wrong: "El código no es correcto. Espere al siguiente código que muestre la aplicación y escríbalo.",
      expired: "Ha pasado demasiado tiempo. Elimine la cuenta de la aplicación y escanee la nueva imagen.",
    },
    newFactor: {
      title: "Añadir una llave de seguridad",
      lead: "Para iniciar sesión aquí necesita un segundo factor. Conecte una llave de seguridad y tóquela cuando parpadee.",
      button: "Añadir la llave de seguridad",
      wrong: "La llave de seguridad no se ha aceptado. Inténtelo de nuevo.",
      taken: "Esta llave de seguridad ya está registrada. Use otra.",
      impossible:
        "Para iniciar sesión necesita un segundo factor, pero aquí no se puede registrar ninguno. Pregunte a sus administradores.",
    },
    reviewFactors: {
      title: "¿Son suyos?",
      lead: "Tiene nuevos derechos, y otra persona configuró estas formas de iniciar sesión para usted. Elimine todas las que otros puedan usar.",
      kinds: {
        U2F: "Llave de seguridad",
        TOTP: "Aplicación de autenticación",
        RECOVERY_CODES: "Códigos de recuperación",
        PASSKEY: "Llave de acceso",
      },
      added: "Se configuró el {day}",
      identity: "Cuenta de {provider}",
      namedIdentity: "Cuenta {identity} de {provider}",
      keep: "Conservar",
      remove: "Eliminar",
      missing: "Indique para cada una si desea conservarla o eliminarla.",
    },
    newPassword: {
      title: "Elija una contraseña nueva",
      lead: "Otra persona eligió su contraseña. Elija una que solo usted conozca.",
      current: "Contraseña actual",
      password: "Contraseña nueva",
      repeated: "Repita la contraseña nueva",
      submit: "Establecer la contraseña",
      wrong: "La contraseña actual no es correcta. Inténtelo de nuevo.",
      paused: "Ha habido demasiados intentos. Espere un rato e inténtelo de nuevo.",
      rules: {
        min_length: "La contraseña nueva debe tener al menos {least} caracteres.",
        max_length: "La contraseña nueva debe tener como máximo 200 caracteres.",
        personal:
          "La contraseña nueva no puede ser su nombre de usuario, su dirección de correo electrónico ni su nombre.",
        common:
          "Esta contraseña es fácil de adivinar. No la forme con nombres, palabras comunes, filas de teclas o años.",
        breached: "Esta contraseña se conoce por una filtración de datos. Elija otra.",
        not_repeated: "Las dos contraseñas nuevas no coinciden. Escriba dos veces la misma.",
        same: "La contraseña nueva es la actual. Elija otra.",
      },
    },
    forgottenPassword: {
      link: "¿Ha olvidado su contraseña?",
      title: "¿Ha olvidado su contraseña?",
      lead: "Escriba el nombre con el que inicia sesión. Le enviaremos un correo con un enlace para establecer una contraseña nueva.",
      submit: "Enviar el enlace",
      paused: "Ha habido demasiadas solicitudes. Espere un rato e inténtelo de nuevo.",
      sentTitle: "Revise su correo",
      sent: "Si existe una cuenta con este nombre y una dirección de correo verificada, hay un enlace en camino. Es válido durante 30 minutos.",
      sentHint:
        "¿No ha llegado nada? Mire en la carpeta de correo no deseado o pregunte a sus administradores.",
      back: "Volver al inicio de sesión",
    },
    resetPassword: {
      title: "Elija una contraseña",
      lead: "A partir de ahora iniciará sesión con ella. Se cerrará la sesión en todos sus demás dispositivos.",
      code: "Código",
      submit: "Establecer la contraseña",
      wrong: "El enlace o el código no es correcto, ha caducado o ya se ha usado. Solicite otro.",
      doneTitle: "Su contraseña está establecida",
      done: "Puede cerrar esta página e iniciar sesión donde lo necesite.",
    },
    invitation: {
      title: "Elija cómo iniciar sesión",
      lead: "{organization} ha creado una cuenta para usted.",
      applicationLead: "{organization} ha creado una cuenta para usted, con la que puede usar {application}.",
      username: "Su nombre de usuario es {username}.",
      submit: "Establecer la contraseña",
      passkeyTitle: "Crear una llave de acceso",
      passkeyLead: "Su dispositivo le pedirá la huella, el rostro o un PIN y guardará la llave de acceso.",
      passkeyButton: "Crear llave de acceso",
      passkeyName: "Llave de acceso",
      passkeyFailed: "No se ha creado ninguna llave de acceso. Inténtelo de nuevo o elija otra forma.",
      passkeyTaken: "Esta llave de acceso ya está en uso. Cree otra.",
      another: "Elegir otra forma",
      doneTitle: "Su cuenta está lista",
      done: "Ya puede iniciar sesión.",
    },
    newIdentity: {
      title: "Todavía no tiene una cuenta aquí",
      lead: "Ha iniciado sesión con {provider}.",
      namedLead: "Ha iniciado sesión con {provider} como {identity}.",
      noneTitle: "No tiene una cuenta aquí",
      none: "Su cuenta de {provider} no está vinculada a ninguna cuenta de aquí. Pregunte a sus administradores.",
      namedNone:
        "Su cuenta {identity} de {provider} no está vinculada a ninguna cuenta de aquí. Pregunte a sus administradores.",
      link: "Iniciar sesión en mi cuenta",
      linkTitle: "¿Tiene una cuenta aquí?",
      linkHint: "Parece que ya tiene una cuenta. Inicie sesión en ella una vez para vincular las dos.",
      linkUnknown:
        "Ninguna cuenta de aquí está vinculada a ella. Si tiene una, inicie sesión en ella una vez para vincular las dos. Si no, pregunte a sus administradores.",
      linkInstead: "Vincular mi cuenta de aquí",
      create: "Crear una cuenta nueva",
      missing: "Una cuenta nueva también necesita esto:",
      taken: "El nombre de usuario de su cuenta nueva ya está ocupado. Elija otro.",
      another: "Iniciar sesión de otra forma",
    },
    linkIdentity: {
      title: "¿Vincular su cuenta con {provider}?",
      lead: "Así podrá iniciar sesión como {username} con su cuenta de {provider}.",
      namedLead: "Así podrá iniciar sesión como {username} con su cuenta {identity} de {provider}.",
      notTheirs:
        "Ha iniciado sesión como {username}. Esta cuenta no se puede vincular con la de {provider}, por lo que no se ha cambiado nada.",
      full: "Ha iniciado sesión como {username}. Esta cuenta ya está vinculada con el número máximo de otras cuentas, por lo que no se ha vinculado con la de {provider}. Desvincule primero una.",
      link: "Vincular",
      skip: "Continuar sin vincular",
      without: "Iniciar sesión sin vincular",
    },
    ownFactor: {
      title: "Esto no basta para iniciar sesión",
      lead: "Usted tiene un rol fuera de su propia organización, por lo que necesita un segundo factor de este servicio para iniciar sesión así. Inicie sesión de otra forma y añada uno.",
    },
    firstPassword: {
      password: "Contraseña",
      repeated: "Repita la contraseña",
      atLeast: "Al menos {minLength} caracteres",
    },
    profile: {
      username: "Nombre de usuario",
      givenName: "Nombre",
      familyName: "Apellidos",
      email: "Dirección de correo electrónico",
      faults: {
        username: "Escriba un nombre de usuario de 200 caracteres visibles como máximo.",
        username_taken: "Otra persona tiene este nombre de usuario. Elija otro.",
        given_name: "Escriba un nombre de 200 caracteres visibles como máximo.",
        family_name: "Escriba unos apellidos de 200 caracteres visibles como máximo.",
        email: "Escriba una dirección de correo como ada@example.com.",
      },
    },
    register: {
      title: "Crear una cuenta",
      lead: "para continuar a {application}",
      submit: "Crear la cuenta",
      paused: "Se han solicitado demasiadas cuentas desde su red. Espere una hora e inténtelo de nuevo.",
      hasAccount: "¿Ya tiene una cuenta?",
      signIn: "Iniciar sesión",
      hasNone: "¿Es su primera vez aquí?",
      link: "Crear una cuenta",
    },
    setup: {
      title: "Configurar el primer administrador",
      lead: "El nuevo usuario podrá hacer todo en esta instalación.",
      submit: "Crear el administrador",
      opensPolicy:
        "Según la política de inicio de sesión de este servicio, a los administradores no les basta una contraseña. Si crea este administrador, se volverán a permitir las contraseñas para todas las personas sujetas a esta política. Después puede cambiar la política.",
      goneTitle: "Este enlace ya no funciona",
      gone: "Ya se ha usado, ha caducado o no está completo. El comando «setup link» de Gatehouse crea otro.",
      factorLead:
        "Ha iniciado sesión. Añada ahora una llave de seguridad, para que una contraseña sola no baste para actuar como administrador.",
      totpLead:
        "Ha iniciado sesión. Configure ahora una aplicación de autenticación, para que una contraseña sola no baste para actuar como administrador.",
      skip: "Ahora no",
      doneTitle: "Todo está configurado",
      done: "El administrador puede iniciar sesión. Puede cerrar esta página.",
    },
    device: {
      codeTitle: "Conectar un dispositivo",
      codeLead: "Escriba el código que muestra su dispositivo.",
      code: "Código",
      wrong:
        "Este código no es correcto, ya se ha usado o ha caducado. Revíselo o empiece de nuevo en su dispositivo.",
      paused:
        "Ha habido demasiados códigos incorrectos desde su red. Espere 15 minutos e inténtelo de nuevo.",
      title: "¿Iniciar sesión en {application} en un dispositivo?",
      lead: "{application}, que pertenece a {organization}, lo solicita en un dispositivo que muestra el código:",
      own: "Permítalo solo si ve el código en un dispositivo suyo. Si alguien le ha enviado el código o un enlace, elija «Cancelar»: esa persona iniciaría sesión como usted.",
      account: "Aquí ha iniciado sesión como {username}.",
      allow: "Permitir",
      ends: {
        allowed: {
          title: "Su dispositivo ha iniciado sesión",
          sentence: "Puede volver a su dispositivo y cerrar esta página.",
        },
        canceled: {
          title: "No se ha permitido nada",
          sentence: "El dispositivo no ha iniciado sesión. Puede cerrar esta página.",
        },
        "no-access": {
          title: "No puede usar esta aplicación",
          sentence: "El dispositivo no ha iniciado sesión. Pida acceso a los responsables de la aplicación.",
        },
        gone: {
          title: "Este código ya no funciona",
          sentence: "Ya se ha usado o ha caducado. Empiece de nuevo en su dispositivo.",
        },
      },
    },
    logout: {
      title: "¿Cerrar sesión?",
      lead: "Esto termina su sesión en este navegador.",
      submit: "Cerrar sesión",
      goingOn: "Se está cerrando su sesión",
      done: {
        title: "Ha cerrado la sesión",
        sentence: "Puede cerrar esta ventana.",
      },
      partial: {
        title: "Ha cerrado la sesión aquí",
        sentence:
          "Es posible que su sesión siga abierta en algunas aplicaciones. Para mayor seguridad, ciérrela también allí o cierre su navegador.",
      },
    },
    retry: {
      again: "Intentar de nuevo",
      goBack: "Para intentarlo de nuevo, vuelva atrás en su navegador y repita el último paso.",
      "too-many-requests": "Inténtelo de nuevo {when}. No se ha hecho nada.",
      unavailable: "Inténtelo de nuevo {when}.",
      start: "Ir a la página de inicio",
      openConsole: "Ir a la consola",
    },
    errors: {
      "bad-request": {
        title: "Esto no ha funcionado",
        sentence: "No se puede leer la solicitud de su navegador. Vuelva atrás e inténtelo de nuevo.",
      },
      "begin-again": {
        title: "Empiece de nuevo",
        sentence:
          "Este inicio de sesión ha terminado o se empezó en otro navegador. Vuelva a la aplicación e inicie sesión desde allí.",
      },
      "signed-in": {
        title: "Ha iniciado sesión",
        sentence:
          "El formulario se envió dos veces y la primera fue suficiente. Vuelva a la aplicación. Si se lo pide otra vez, inicie sesión de nuevo.",
      },
      refused: {
        title: "No ha iniciado sesión",
        sentence:
          "Este inicio de sesión se canceló. Para intentarlo de nuevo, vuelva a la aplicación e inicie sesión desde allí.",
      },
      "foreign-form": {
        title: "Esto no ha funcionado",
        sentence:
          "El formulario no venía de este sitio, por lo que no se ha hecho nada. Vuelva a la aplicación e inicie sesión desde allí.",
      },
      "not-a-visit": {
        title: "Abra esta página por separado",
        sentence:
          "No funciona dentro de una página de otro sitio. Vuelva a la aplicación e inicie sesión desde allí.",
      },
      "not-found": {
        title: "Aquí no hay nada",
        sentence: "Compruebe la dirección e inténtelo de nuevo.",
      },
      "bad-application-request": {
        title: "Este inicio de sesión no puede empezar",
        sentence:
          "La aplicación ha enviado una solicitud no válida. Sus desarrolladores pueden averiguar la causa.",
      },
      "bad-logout-message": {
        title: "Este cierre de sesión no puede continuar",
        sentence:
          "La aplicación ha enviado un mensaje no válido, por lo que es posible que su sesión siga abierta. Sus desarrolladores pueden averiguar la causa.",
      },
      "logout-over": {
        title: "Este cierre de sesión ha terminado",
        sentence:
          "Ha terminado o se empezó en otro navegador. Vuelva a la aplicación y compruebe si su sesión está cerrada.",
      },
      "unknown-application": {
        title: "Este inicio de sesión no puede empezar",
        sentence: "Aquí no se conoce la aplicación. Sus desarrolladores pueden averiguar la causa.",
      },
      "unregistered-redirect": {
        title: "Este inicio de sesión no puede empezar",
        sentence:
          "La aplicación quiere enviarle a una dirección que no está registrada para ella. Sus desarrolladores pueden averiguar la causa.",
      },
      "inactive-application": {
        title: "Esta aplicación está desactivada",
        sentence: "Nadie puede iniciar sesión en ella en este momento. Pregunte a sus responsables.",
      },
      "wrong-application-settings": {
        title: "Este inicio de sesión no puede empezar",
        sentence:
          "La configuración de la aplicación no lo permite. Pregunte a los responsables de la aplicación.",
      },
      "invitation-over": {
        title: "Esta invitación ya no funciona",
        sentence:
          "Su enlace ha caducado, ya se ha usado o no está completo. Si no puede iniciar sesión, pida otro a las personas que le invitaron.",
      },
      "provider-off": {
        title: "Esta forma de iniciar sesión está desactivada",
        sentence: "Inicie sesión de otra forma o pregunte a los responsables de la aplicación.",
      },
      "no-account": {
        title: "No puede iniciar sesión con esta cuenta",
        sentence: "Ningún usuario de aquí puede iniciar sesión con ella. Pregunte a sus administradores.",
      },
      "link-in-question": {
        title: "Esta cuenta necesita su confirmación",
        sentence:
          "Otra persona la vinculó con su cuenta de aquí. Inicie sesión de otra forma e indique si es suya, o pregunte a sus administradores.",
      },
      "provider-denied": {
        title: "No ha iniciado sesión",
        sentence:
          "El inicio de sesión se canceló, o el otro servicio no le ha dejado entrar. Inténtelo de nuevo o inicie sesión de otra forma.",
      },
      "provider-refused": {
        title: "No ha iniciado sesión",
        sentence:
          "La respuesta del otro servicio no se puede usar. Inténtelo de nuevo o pregunte a los responsables de la aplicación.",
      },
      "provider-login-old": {
        title: "Hace falta un nuevo inicio de sesión",
        sentence:
          "El otro servicio no le ha pedido que inicie sesión de nuevo o no dice cuándo lo hizo. Cierre la sesión allí e inténtelo de nuevo, o inicie sesión de otra forma.",
      },
      "provider-unavailable": {
        title: "No puede iniciar sesión allí en este momento",
        sentence:
          "El otro servicio no responde. Inténtelo de nuevo en unos minutos o inicie sesión de otra forma.",
      },
      "hook-refused": {
        title: "No puede iniciar sesión aquí",
        sentence:
          "La organización responsable de la aplicación no le permite entrar. A continuación están sus propias palabras, si las ha dado.",
      },
      "hook-failed": {
        title: "No puede iniciar sesión en este momento",
        sentence:
          "No se ha podido hacer una comprobación que exige la organización. Inténtelo de nuevo dentro de unos minutos.",
      },
      "wrong-verb": {
        title: "Esto no ha funcionado",
        sentence: "Esta dirección no se puede usar de esa forma. Vuelva atrás e inténtelo de nuevo.",
      },
      "too-large": {
        title: "Era demasiado grande",
        sentence: "Vuelva atrás e inténtelo de nuevo con menos texto.",
      },
      "too-many-requests": {
        title: "Muy ocupado en este momento",
        sentence: "Espere un momento e inténtelo de nuevo. No se ha hecho nada.",
      },
      unavailable: {
        title: "No es posible en este momento",
        sentence: "Espere un momento e inténtelo de nuevo.",
      },
      fault: {
        title: "Algo ha salido mal",
        sentence: "El fallo es nuestro. Inténtelo más tarde o avise a los responsables de este servicio.",
      },
    },
  },
  account: {
    title: "Su cuenta",
    back: "Su cuenta",
    lead: "Ha iniciado sesión como {name}.",
    more: "Mostrar más",
    remove: "Eliminar",
    signOut: "Cerrar sesión",
    unknown: "Sin indicar",
    verified: "verificado",
    unverified: "sin verificar",
    places: {
      profile: {
        title: "Datos personales",
        hint: "Lo que se guarda sobre usted",
      },
      email: {
        title: "Correo electrónico",
        hint: "La dirección que se usa si olvida su contraseña",
      },
      phone: {
        title: "Teléfono",
        hint: "El número en el que se le puede localizar",
      },
      password: {
        title: "Contraseña",
        hint: "Cambiar la contraseña con la que inicia sesión",
      },
      passkeys: {
        title: "Llaves de acceso",
        hint: "Iniciar sesión sin contraseña",
      },
      factors: {
        title: "Segundos factores",
        hint: "Lo que le protege si alguien averigua su contraseña",
      },
      "recovery-codes": {
        title: "Códigos de recuperación",
        hint: "Para cuando haya perdido su segundo factor",
      },
      links: {
        title: "Cuentas vinculadas",
        hint: "Cuentas de otros sitios con las que inicia sesión",
      },
      sessions: {
        title: "Sesiones",
        hint: "Los navegadores en los que ha iniciado sesión",
      },
      applications: {
        title: "Aplicaciones",
        hint: "Aplicaciones que pueden ver sus datos o actuar por usted",
      },
      tokens: {
        title: "Tokens de acceso personal",
        hint: "Programas que actúan en su nombre",
      },
    },
    profile: {
      lead: "Sus administradores gestionan estos datos. Pregúnteles si algo no es correcto.",
      labels: {
        username: "Nombre de usuario",
        displayName: "Nombre visible",
        name: "Nombre",
        email: "Dirección de correo electrónico",
        language: "Idioma",
        organization: "Organización",
      },
    },
    phone: {
      lead: "Recibirá un código por SMS, que demuestra que el número es suyo.",
      label: "Número de teléfono",
      example: "Con el prefijo del país, por ejemplo +41 44 668 18 00",
      set: "Enviar código",
      replace: "Usar otro número",
      remove: "Eliminar el número",
    },
    email: {
      lead: "Recibirá un código por correo electrónico, que demuestra que la dirección es suya.",
      label: "Dirección de correo electrónico",
      replace: "Usar otra dirección",
      set: "Enviar código",
      same: "Esta ya es su dirección.",
    },
    codes: {
      lead: "Escriba el código que se envió a {address}.",
      code: "Código",
      verify: "Verificar",
      resend: "Enviar otro código",
    },
    password: {
      lead: "Todas sus demás sesiones terminarán, y las aplicaciones tendrán que iniciar sesión de nuevo.",
      changed: "Último cambio: {date}.",
      submit: "Cambiar la contraseña",
      none: "No tiene contraseña. Para obtener una, elija «¿Ha olvidado su contraseña?» al iniciar sesión o pregunte a sus administradores.",
    },
    passkeys: {
      lead: "Puede iniciar sesión con cada una de ellas, sin contraseña.",
      none: "No tiene ninguna llave de acceso. Con una inicia sesión con la huella, el rostro o un PIN, y nadie puede robar una contraseña.",
      added: "Se añadió el {date}",
      copied: "copiada en sus otros dispositivos",
      add: "Añadir una llave de acceso",
      newTitle: "Añadir una llave de acceso",
      newLead: "Su dispositivo le pedirá la huella, el rostro o un PIN y guardará la llave de acceso.",
      name: "Nombre de la llave de acceso",
      defaultName: "Llave de acceso",
      button: "Añadir la llave de acceso",
      wrong: "La llave de acceso no se ha aceptado. Inténtelo de nuevo.",
      failed:
        "No se ha creado ninguna llave de acceso. Puede que este dispositivo ya tenga una o que no las admita. Inténtelo de nuevo o use otro dispositivo.",
      impossible: "Aquí no se puede registrar ninguna llave de acceso. Pregunte a sus administradores.",
      removeTitle: "¿Eliminar esta llave de acceso?",
      removeLead: "Ya no podrá iniciar sesión con «{name}». Elimínela también en su dispositivo.",
    },
    factors: {
      lead: "Después de la contraseña se le pide uno de estos.",
      none: "No tiene ningún segundo factor: cualquiera que tenga su contraseña puede iniciar sesión como usted.",
      added: "Se añadió el {date}",
      app: "Aplicación de autenticación",
      add: "Añadir una llave de seguridad",
      addApp: "Añadir una aplicación de autenticación",
      codes: { EMAIL_CODE: "Códigos por correo electrónico", SMS_CODE: "Códigos por SMS" },
      addCodes: { EMAIL_CODE: "Añadir códigos por correo electrónico", SMS_CODE: "Añadir códigos por SMS" },
      newLead: "Conéctela o acérquela al dispositivo y tóquela cuando parpadee.",
      impossible: "Aquí no se puede registrar un factor de este tipo. Pregunte a sus administradores.",
      removeTitle: "¿Eliminar este segundo factor?",
      removeLead: "Ya no podrá iniciar sesión con «{name}».",
      codesLead:
        "No tiene códigos de recuperación. Sin ellos no podrá iniciar sesión si pierde su segundo factor.",
      makeCodes: "Crear códigos de recuperación",
    },
    recoveryCodes: {
      lead: "Con cada código puede iniciar sesión una vez, después de la contraseña, si ha perdido su segundo factor.",
      none: "No tiene códigos de recuperación.",
      made: "Sus códigos se crearon el {date}. Códigos sin usar: {remaining}.",
      make: "Crear códigos de recuperación",
      replace: "Sustituir todos los códigos por nuevos",
      remove: "Eliminar todos los códigos",
      keep: "Imprima estos códigos o guárdelos en un lugar seguro. Solo se muestran ahora. Los códigos anteriores ya no funcionan.",
      kept: "Los he guardado",
    },
    links: {
      lead: "Puede iniciar sesión aquí con estas cuentas.",
      none: "No tiene ninguna cuenta de otro sitio con la que pueda iniciar sesión aquí.",
      made: "Se vinculó el {date}",
      remove: "Eliminar ({name})",
    },
    sessions: {
      lead: "Si no reconoce una sesión, termínela y cambie su contraseña.",
      current: "Esta sesión",
      begun: "Inicio de sesión: {date}",
      from: "desde {address}",
      by: "con {methods}",
      end: "Terminar la sesión ({browser})",
      endOthers: "Terminar todas las demás sesiones",
      othersLead: "Las aplicaciones que use en otras sesiones también tendrán que iniciar sesión de nuevo.",
      browser: "{browser} en {system}",
      unknownBrowser: "Navegador desconocido",
      methods: {
        PASSWORD: "contraseña",
        U2F: "llave de seguridad",
        PASSKEY: "llave de acceso",
        TOTP: "aplicación de autenticación",
        RECOVERY_CODE: "código de recuperación",
        IDP: "otra cuenta",
        EMAIL_CODE: "código por correo electrónico",
        SMS_CODE: "código por SMS",
      },
    },
    applications: {
      lead: "Ha permitido a estas aplicaciones ver sus datos o actuar por usted.",
      none: "No ha permitido a ninguna aplicación actuar por usted.",
      since: "Puede actuar por usted en su ausencia, desde el {date}",
      onlyThen: "Ve sus datos cuando inicia sesión en ella",
      remove: "Retirar el acceso ({application})",
    },
    tokens: {
      lead: "Cualquiera que tenga uno de estos tokens puede actuar en su nombre. Elimine todos los que no necesite.",
      none: "No tiene ningún token de acceso personal.",
      name: "Token {id}",
      made: "Se creó el {date}",
      expires: "Caduca el {date}",
      forever: "No caduca nunca",
      remove: "Eliminar ({name})",
    },
    outdated: {
      title: "Esta página no estaba actualizada",
      lead: "Ha iniciado sesión de nuevo desde que se mostró, o el formulario venía de otro sitio. No se ha cambiado nada.",
      again: "Mostrar la página de nuevo",
    },
    refused: {
      title: "No ha iniciado sesión",
      lead: "El inicio de sesión se canceló, o usted usó otra cuenta. No se ha cambiado nada.",
      again: "Volver a su cuenta",
    },
    tooWeak: {
      title: "Se necesita su segundo factor",
      lead: "Tiene un segundo factor, pero ha iniciado sesión sin él. Cierre la sesión e iníciela con él. Si no se le pide, pregunte a sus administradores.",
    },
    signedOut: {
      again: "Iniciar sesión de nuevo",
    },
    done: {
      "password-set": "Su contraseña se ha cambiado.",
      "email-set": "La dirección se ha guardado, y hay un código en camino.",
      "email-verified": "La dirección está verificada.",
      "phone-set": "El número se ha guardado, y hay un código en camino.",
      "phone-verified": "El número está verificado.",
      "phone-removed": "El número se ha eliminado.",
      "code-sent": "Hay otro código en camino.",
      "passkey-added": "La llave de acceso se ha añadido.",
      "passkey-removed": "La llave de acceso se ha eliminado.",
      "factor-added": "El segundo factor se ha añadido.",
      "factor-removed": "El segundo factor se ha eliminado.",
      "codes-removed": "Sus códigos de recuperación se han eliminado.",
      "link-removed": "La cuenta ya no está vinculada.",
      "session-ended": "La sesión ha terminado.",
      "sessions-ended": "Todas las demás sesiones han terminado.",
      "application-removed": "Se ha retirado el acceso de la aplicación.",
      "token-removed": "El token se ha eliminado.",
    },
    faults: {
      ALREADY_EXISTS: "Este dispositivo ya está registrado. Use otro.",
      CODE_EXHAUSTED: "Ha habido demasiados códigos incorrectos. Pida que le enviemos otro.",
      CODE_EXPIRED: "El código ha caducado. Pida que le enviemos otro.",
      CODE_INVALID: "El código no es correcto. Revíselo e inténtelo de nuevo.",
      CODE_NOT_PENDING: "No hay ningún código que introducir. Pida que le enviemos uno.",
      FIELD_INVALID: "Esto no se puede usar. Revise lo que ha escrito.",
      LIMIT_REACHED: "Ya tiene el número máximo. Elimine primero uno.",
      LOCKS_OUT:
        "Usted administra este servicio y después ya no podría iniciar sesión. Añada primero otra forma de iniciar sesión.",
      LOGIN_PAUSED: "Ha habido demasiados intentos. Espere un rato e inténtelo de nuevo.",
      MAIL_NOT_CONFIGURED: "En este momento no se pueden enviar correos. Pregunte a sus administradores.",
      PASSWORD_INVALID: "La contraseña actual no es correcta. Inténtelo de nuevo.",
      RATE_LIMITED: "Ha habido demasiados intentos. Espere un rato e inténtelo de nuevo.",
      SMS_NOT_CONFIGURED: "En este momento no se pueden enviar SMS. Pregunte a sus administradores.",
      TOTP_INVALID: "El código no es correcto o ya se ha usado. Espere al siguiente código y escríbalo.",
      U2F_CHALLENGE_INVALID: "Ha pasado demasiado tiempo o se envió dos veces. Inténtelo de nuevo.",
    },
  },
  mails: {
    verification: {
      subject: "Verifique su dirección de correo electrónico",
      text: "Hola:\n\nSu código de verificación es {code}. Es válido durante {minutes} minutos.\n\nSi no lo ha solicitado, puede ignorar este correo.",
    },
    password: {
      subject: "Establezca su contraseña",
      text: "Hola:\n\nCon este enlace puede establecer la contraseña de su cuenta. Es válido durante {minutes} minutos y funciona una vez:\n\n{link}\n\nSi no lo ha solicitado, puede ignorar este correo: nada cambia mientras no se use el enlace.",
    },
    invitation: {
      subject: "Su invitación de {organization}",
      text: "Hola:\n\n{organization} ha creado una cuenta para usted. Elija cómo iniciar sesión:\n\n{link}\n\nEl enlace es válido durante {days} días y funciona una vez.\n\nSi no conoce {organization}, puede ignorar este correo: no ocurre nada mientras no se use el enlace.",
    },
    applicationInvitation: {
      subject: "Su invitación para usar {application}",
      text: "Hola:\n\n{organization} ha creado una cuenta para usted, con la que puede usar {application}. Elija cómo iniciar sesión:\n\n{link}\n\nEl enlace es válido durante {days} días y funciona una vez.\n\nSi no conoce {organization}, puede ignorar este correo: no ocurre nada mientras no se use el enlace.",
    },
  },
  sms: {
    verification: "{code} es su código de verificación. Es válido durante {minutes} minutos.",
  },
  notices: {
    subject: "Sus datos de inicio de sesión han cambiado",
    greeting: "Hola:\n\nEsto ha cambiado en su cuenta:",
    changes: {
      password_added: "Se estableció una contraseña",
      password_changed: "Se cambió la contraseña",
      password_removed: "Se eliminó la contraseña",
      passkey_added: "Se añadió una llave de acceso",
      passkey_removed: "Se eliminó una llave de acceso",
      security_key_added: "Se añadió una llave de seguridad como segundo factor",
      security_key_removed: "Se eliminó una llave de seguridad",
      authenticator_app_added: "Se añadió una aplicación de autenticación como segundo factor",
      authenticator_app_removed: "Se eliminó una aplicación de autenticación",
      sent_codes_added: "Se añadieron códigos por correo electrónico o SMS como segundo factor",
      sent_codes_removed: "Se eliminaron los códigos por correo electrónico o SMS como segundo factor",
      recovery_codes_added: "Se crearon códigos de recuperación",
      recovery_codes_replaced: "Nuevos códigos de recuperación sustituyeron a los anteriores",
      recovery_codes_removed: "Se eliminaron los códigos de recuperación",
      recovery_code_used: "Se usó un código de recuperación para iniciar sesión",
      provider_link_added:
        "La cuenta se vinculó con un proveedor de identidad con el que se puede iniciar sesión",
      provider_link_removed: "Se eliminó el vínculo con un proveedor de identidad",
      username_changed: "Se cambió el nombre de usuario",
      email_changed:
        "Se cambió la dirección de correo; hasta entonces era la dirección a la que se envió este correo",
      email_removed:
        "Se eliminó la dirección de correo; hasta entonces era la dirección a la que se envió este correo",
      personal_access_token_added: "Se creó un token de acceso personal",
      personal_access_token_removed: "Se eliminó un token de acceso personal",
    },
    at: "{date} (UTC)",
    byAccount: "Por alguien que usa su cuenta",
    byAccountAt: "Por alguien que usa su cuenta, desde la dirección {address}",
    byAdministrator: "Por un administrador",
    byNamedAdministrator: "Por un administrador con el nombre {name}",
    byService: "Por el propio servicio",
    more: "Otros cambios: {count}.",
    expected: "Si lo hizo usted o está al corriente, no tiene que hacer nada.",
    unexpected:
      "Si no, revise ahora su cuenta: cambie la contraseña, elimine todo lo que no reconozca y termine todas las demás sesiones.",
    lockedOut: "Si ya no puede iniciar sesión, pida ayuda a un administrador de su organización.",
  },
  front: {
    start: {
      title: "Gatehouse está en marcha",
      lead: "Aquí inician sesión personas y programas. Usted decide quién puede hacer qué en la consola o mediante la API.",
      openConsole: "Abrir la consola",
      api: "Los programas llaman a la API con gRPC, gRPC-web o JSON. Cada llamada se describe en",
      firstAdministrator:
        "El primer administrador se registra con el enlace que hay en este archivo de esta máquina:",
      anotherLink: "Este comando crea otro enlace:",
    },
    notBuilt: {
      title: "La consola no está construida",
      lead: "Faltan sus archivos. Ejecute este comando donde esté instalado Gatehouse y vuelva a cargar esta página:",
    },
  },
};
