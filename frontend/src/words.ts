// French for the words of the page; English is what stands in the code. The server writes its messages in the language of the request.

import { get, useStore } from "./store";

const FRENCH: Record<string, string> = {
  Robot: "Robot", Geometric: "Géométrique", Kinematic: "Cinématique", Dynamic: "Dynamique", Identification: "Identification",
  Optimizer: "Optimisation", Geometry: "Géométrie", Inertia: "Inerties", Drives: "Actionneurs", Base: "Base", Loops: "Boucles",
  Equations: "Équations", Code: "Code", Both: "Les deux", Values: "Valeurs", Branches: "Solutions",
  "Find a symbol": "Chercher un symbole", "Download zip": "Télécharger le zip", Joints: "Articulations", Symbols: "Symboles",
  Structure: "Structure", Motion: "Mouvement", Table: "Tableau", Torques: "Couples", Positions: "Positions",
  joint: "articulation", Joint: "Articulation", "Cut a loop": "Couper une boucle", Tool: "Outil", Saved: "Enregistré", edited: "modifié",
  "Models, symbols, commands": "Modèles, symboles, commandes", Search: "Chercher", Undo: "Défaire", Redo: "Rétablir",
  "Share a link": "Partager un lien", Report: "Rapport", "Dark theme": "Thème sombre", "Light theme": "Thème clair",
  "Choose a robot, or type its table": "Choisir un robot, ou saisir son tableau",
  "symoro writes the geometric, kinematic and dynamic models as equations and code. Nothing leaves this computer.":
    "symoro écrit les modèles géométriques, cinématiques et dynamiques en équations et en code. Rien ne quitte cet ordinateur.",
  "New robot": "Nouveau robot", "Type a modified Denavit–Hartenberg table. The view and the messages follow each cell.":
    "Saisir un tableau de Denavit–Hartenberg modifié. La vue et les messages suivent chaque case.",
  "Serial, 6 joints": "Série, 6 articulations", Tree: "Arborescent", "Closed loop": "Boucle fermée",
  "Drop a file here": "Déposer un fichier ici", "Choose a file": "Choisir un fichier", Recent: "Récents", Library: "Bibliothèque",
  robots: "robots", All: "Tous", Serial: "Série", "Closed loops": "Boucles fermées", "Free base": "Base libre",
  "nothing yet": "rien encore", "Computed once from the parameters": "Calculé une fois à partir des paramètres",
  "Sines and cosines": "Sinus et cosinus", "Links in the frames of evaluation": "Corps dans les repères d'évaluation",
  Results: "Résultats", "Other lines": "Autres lignes", Outward: "Aller", Inward: "Retour", link: "corps", lines: "lignes", line: "ligne",
  "against SYMORO+": "par rapport à SYMORO+", "of the geometry and gravity": "de la géométrie et de la gravité",
  "found in the table": "trouvé dans le tableau", "These equations are of the table before your last edit.":
    "Ces équations sont celles du tableau avant votre dernière modification.", Update: "Mettre à jour",
  "Update after the fix": "Mettre à jour après la correction", Cancel: "Annuler", Restore: "Rétablir", "What is allowed": "Ce qui est permis",
  Use: "Utiliser", follows: "suit", "Loop closed": "Boucle fermée", "hidden: all 0": "cachés : tous nuls", inertial: "inertiels",
  "Inverse dynamic model": "Modèle dynamique inverse", "Direct dynamic model": "Modèle dynamique direct",
  "Direct geometric model": "Modèle géométrique direct", "Inverse geometric model": "Modèle géométrique inverse",
  "Inertia matrix": "Matrice d'inertie", "Jacobian matrix": "Matrice jacobienne", "Torques against gravity": "Couples de gravité",
  "Dynamic identification model": "Modèle dynamique d'identification", "Transformation matrix between two frames":
    "Matrice de transformation entre deux repères", "Kinetic and potential energy": "Énergies cinétique et potentielle",
  Models: "Modèles", Commands: "Commandes", "Go to": "Aller à", choose: "choisir", "SYMORO+ models": "Modèles de SYMORO+",
  after: "d'après", More: "Plus", "opens it beside the current result": "l'ouvre à côté du résultat", "Target pose": "Situation désirée",
  "Drag in the view": "Tirer dans la vue", "Set from the joints": "Prendre des articulations", "Position, rpy": "Position, rpy",
  Derivation: "Démonstration", of: "sur", branches: "solutions", "to now": "écart", now: "ici", One: "Une", "not reachable": "hors d'atteinte",
  "each checked, pose error below": "chacune vérifiée, erreur inférieure à", "Choose a model": "Choisir un modèle",
  "Equations, counts and code appear here. Press M, then D for the dynamic models, or Ctrl K.":
    "Équations, nombres d'opérations et code apparaissent ici. Taper M puis D pour les modèles dynamiques, ou Ctrl K.",
  "Keyboard": "Clavier", "Close": "Fermer", "Copy": "Copier", "Copied": "Copié", "no value": "pas de valeur",
  "Open a file": "Ouvrir un fichier", "Start page": "Page d'accueil", "Save as": "Enregistrer sous", "Projector": "Projecteur",
  frames: "repères", meshes: "maillages", links: "corps", labels: "noms", home: "vue initiale", "antecedent": "antécédent", kind: "type", name: "nom",
  "the loop cannot close there": "la boucle ne peut pas se fermer là", "Add a joint": "Ajouter une articulation",
  "Remove this joint": "Supprimer cette articulation", changed: "modifié", play: "jouer", pause: "pause", repeat: "répéter",
  "The table has an error: mend it, then the models follow.": "Le tableau a une erreur : après la correction, les modèles suivent.",
  "choose another option, or another model": "choisir une autre option, ou un autre modèle", parallel: "parallèles",
  "Show the inverse dynamic model to see torques.": "Afficher le modèle dynamique inverse pour voir les couples.",
  "cancelled": "annulé", "The result below stays usable.": "Le résultat ci-dessous reste utilisable.",
  "A link carries the robot in its address. Nothing is sent anywhere.": "Un lien porte le robot dans son adresse. Rien n'est envoyé.",
  "With variables": "Avec variables", "Written out": "Développées", "Form of the equations": "Forme des équations", operations: "opérations",
  "Equations with intermediate variables, or written out from the inputs, the parameters, sines and cosines":
    "Équations avec variables intermédiaires, ou écrites avec les entrées, les paramètres, les sinus et cosinus seulement",
  "Too long to write out": "Trop longues à développer", "use intermediate variables for them": "prendre les variables intermédiaires",
  "its table, operation counts, the equations of these models, and figures.": "son tableau, les nombres d'opérations, les équations de ces modèles et des figures.",
  "No model is open yet.": "Aucun modèle n'est ouvert.", "The report is being written.": "Le rapport est en cours d'écriture.", Notebook: "Notebook",
  "The notebook has the robot with your edits in it, and makes every result again with symoro.":
    "Le notebook contient le robot avec vos modifications, et refait chaque résultat avec symoro.",
  "Exact motion": "Mouvement exact", "Computed torque": "Couple calculé", "PD with gravity": "PD avec gravité", PID: "PID", quintic: "degré 5",
  cubic: "degré 3", septic: "degré 7", trapezoid: "trapèze", "bang-bang": "bang-bang", Controller: "Commande", Profile: "Profil", duration: "durée",
  "frequency of the controller": "pulsation de la commande", "off by": "écart", "how far from the start the motors begin": "écart des moteurs au départ",
  "Start here": "Départ ici", "Start: chosen": "Départ choisi", Simulate: "Simuler", running: "en cours", "of the configuration before": "de la configuration précédente",
  Errors: "Erreurs", Curves: "Courbes", time: "temps", speed: "vitesse", "Play the motion": "Jouer le mouvement", floating: "flottante", mobile: "mobile",
  Platform: "Plateforme", platform: "plateforme", Motors: "Moteurs", Attachments: "Attaches", attachment: "attache", leg: "jambe", value: "valeur", Parallel: "Parallèles",
  spherical: "sphérique", universal: "cardan", revolute: "pivot", "Legs closed": "Jambes fermées", "legs are being solved": "calcul des jambes",
  "a leg cannot reach there": "une jambe n'y parvient pas", "back to the home pose": "retour à la pose initiale", prismatic: "prismatique", "attachment of leg {}": "attache de la jambe {}", "branch of leg {}": "branche de la jambe {}", branch: "branche", "Remove leg {}": "Supprimer la jambe {}", "Leg like the last one": "Jambe comme la dernière",
  "Placements on the base": "Placements sur la base", "Home pose": "Situation initiale", Operations: "Opérations", options: "options", model: "modèle", "The robot": "Le robot",
  "Torques along a quintic motion of 1.2 s": "Couples le long d'un mouvement de degré 5 de 1,2 s", "… and {} more equations.": "… et {} autres équations.",
  "… and {} more equations: the report as HTML has them.": "… et {} autres équations : le rapport en HTML les contient.", "This notebook needs symoro: {}.": "Ce notebook a besoin de symoro : {}.",
  "Axes of the attachments": "Axes des attaches",
  "Legs that have the same text change together": "Les jambes qui ont le même texte changent ensemble", Given: "Donnée", "arm angle": "angle du bras",
  "A pose determines six joints: {} are given.": "Une situation détermine six articulations : {} sont données.",
  "solved by numbers": "résolution numérique", "general method, by numbers": "méthode générale, numérique", complete: "toutes", incomplete: "peut-être pas toutes",
  "{} meshes are not among the files: {}. Drop them together with {}, or as a zip.": "{} maillages ne sont pas parmi les fichiers : {}. Les déposer avec {}, ou dans un zip.",
  "the files are too large together (at most 200 MB)": "les fichiers sont trop grands ensemble (200 Mo au plus)", "the zip cannot be read": "le zip ne peut pas être lu",
  "the zip is too large (at most 200 MB)": "le zip est trop grand (200 Mo au plus)", "no robot is among the files (allowed: {})": "aucun robot parmi les fichiers (permis : {})",
  "several robots are among the files: {}; drop one of them": "plusieurs robots parmi les fichiers : {} ; en déposer un seul", "{}: the mesh cannot be read": "{} : le maillage ne peut pas être lu",
  "; meshes with it, or a zip": " ; avec ses maillages, ou un zip",
  unreachable: "hors d'atteinte", "at most": "au plus",
  "back to the origin": "retour à l'origine", pose: "situation",
  "Language": "Langage", "Other languages": "Autres langages", and: "et", "{} more": "{} autres", equations: "équations", "in {} equations": "dans {} équations",
  "lines of code": "lignes de code", pin: "épingler", "shared sub-expression": "sous-expression partagée", characters: "caractères",
  "Keys of one letter": "Touches d'une lettre", "palette": "palette", "undo, redo": "défaire, rétablir", "save as TOML": "enregistrer en TOML", menus: "menus",
  "table, inertia, view, equations, code": "tableau, inerties, vue, équations, code", "find a symbol": "chercher un symbole",
  "next, previous use of the linked symbol": "emploi suivant, précédent du symbole lié", "pin the link, free it": "épingler le lien, le libérer",
  "next, previous branch": "solution suivante, précédente", "play the motion": "jouer le mouvement", "fit the view": "cadrer la vue", projector: "projecteur",
  theme: "thème", "fold the robot, the results": "replier le robot, les résultats", "in the table: move, edit, restore": "dans le tableau : se déplacer, modifier, restaurer",
  "in the table: move a joint": "dans le tableau : déplacer une articulation", "this list": "cette liste", "back to where you were": "retour à l'endroit précédent",
  Arrows: "Flèches", Space: "Espace", then: "puis", "Write a number, a symbol or an expression, for example": "Écrire un nombre, un symbole ou une expression, par exemple",
  or: "ou", column: "colonne", " after “{}”": " après « {} »", "Axes {} and {} are": "Les axes {} et {} sont", "Axes {} meet:": "Les axes {} se coupent :",
  steps: "étapes", type: "type", solution: "solution", "Waiting for a free place": "En attente d'une place libre", "Searching for fewer operations": "Recherche de moins d'opérations",
  "Building the model": "Construction du modèle", File: "Fichier", "Name of joint {}": "Nom de l'articulation {}", "σ of joint {}: {}": "σ de l'articulation {} : {}",
  "0 revolute": "0 rotoïde", "1 prismatic": "1 prismatique", "2 fixed": "2 fixe", fixed: "fixe", motor: "moteur", "Motor of joint {}": "Moteur de l'articulation {}",
  moving: "mobile, mouvement donné", gravity: "gravité", "value of {}": "valeur de {}", "open a robot first": "ouvrir d'abord un robot",
  legs: "jambes", motors: "moteurs", "open a model first": "ouvrir d'abord un modèle", "Fewer operations, fast": "Moins d'opérations, rapide", "Fewest operations, long search": "Le moins d'opérations, recherche longue",
  "The paper's own form": "La forme de l'article", "closed loops: it is for open chains": "boucles fermées : ce modèle est pour les chaînes ouvertes",
  "This browser has no WebGL: the robot cannot be drawn. Everything else works.": "Ce navigateur n'a pas WebGL : le robot ne peut pas être dessiné. Tout le reste fonctionne.",
  "3D view": "vue 3D", "{}. Frame {}": "{}. Repère {}", "position of frame {}": "position du repère {}",
  "Frame {} at {} m, roll {}, pitch {}, yaw {} degrees": "Repère {} en {} m, roulis {}, tangage {}, lacet {} degrés", "Curves of {}": "Courbes de {}",
  "no configuration closes the loops": "aucune configuration ne ferme les boucles", "the file is too large (at most 2 MB)": "le fichier est trop grand (2 Mo au plus)",
  "The server does not answer. Start it again with: symoro gui": "Le serveur ne répond pas. Le relancer avec : symoro gui",
  "The link does not carry a robot.": "Le lien ne porte pas de robot.", Parameters: "Paramètres", Method: "Méthode", Reduce: "Réduire", Link: "Corps", Frame: "Repère",
  Task: "Tâche", "From frame": "Du repère", "To frame": "Au repère", Projection: "Projection", Intermediate: "Intermédiaire", Columns: "Colonnes",
  Rotors: "Rotors", Friction: "Frottements", Offset: "Décalages", Angles: "Angles", Alike: "Semblables", Coordinates: "Coordonnées",
  "as given": "comme donné", yes: "oui", no: "non", "paper's form": "forme de l'article", fast: "rapide", best: "long", cheapest: "le moins coûteux",
  frame: "repère", roll: "roulis", pitch: "tangage", yaw: "lacet", "a joint": "une articulation", "a cut": "une coupure", "a tool": "un outil", loop: "boucle", loops: "boucles", tree: "arborescent",
  "No cut. A loop is cut at a passive joint; its two halves are aligned frames.": "Aucune coupure. Une boucle se coupe à une articulation passive ; ses deux moitiés sont des repères alignés.",
  "Inverse dynamics": "Dynamique inverse", "Direct dynamics": "Dynamique directe", "Inverse geometry": "Géométrie inverse", "Direct geometry": "Géométrie directe", Jacobian: "Jacobienne",
  "Angle γ of frame {}, about z of its antecedent.": "Angle γ du repère {}, autour de z de son antécédent.", "Distance b of frame {}, along z of its antecedent.": "Distance b du repère {}, le long de z de son antécédent.",
  "Angle α of frame {}, about x.": "Angle α du repère {}, autour de x.", "Distance d of frame {}, along x.": "Distance d du repère {}, le long de x.",
  "Angle θ of frame {}, about its own axis z.": "Angle θ du repère {}, autour de son axe z.", "Distance r of frame {}, along its own axis z.": "Distance r du repère {}, le long de son axe z.",
  View: "Vue", workspace: "espace de travail", "{} points that it reaches, at most {} m from the base": "{} points atteints, à {} m de la base au plus",
  "Choose a link: click on it, or Tab and Enter.": "Choisir un corps : cliquer dessus, ou Tab et Entrée.", "choose in the view": "choisir dans la vue", "scroll together": "faire défiler ensemble",
  "Width of the robot's column": "Largeur de la colonne du robot", "Width of the results": "Largeur des résultats", "Height of the code": "Hauteur du code", "as the layout has it": "celle de la mise en page",
  "in the view: next joint, choose it, move it": "dans la vue : articulation suivante, la choisir, la bouger", "in equations and code: next line, and what it computes": "dans les équations et le code : ligne suivante, et ce qu'elle calcule",
  "spherical wrist": "poignet sphérique", "base parameters": "paramètres de base", "have no effect or regroup": "sans effet ou regroupés",
};

/** Options of models and their choices, which are not needed before. */
let terms: Record<string, string> = {};

export async function loadFrench(): Promise<void> {
  terms = (await import("./terms.fr.json")).default;
}

const french = (text: string) => FRENCH[text] ?? terms[text] ?? text;

const filled = (text: string, given: readonly unknown[]) => given.reduce<string>((done, one) => done.replace("{}", () => String(one)), text);

/** A text in the language of the page; {} are places of what is given. A text that has no French stays English. */
export function say(text: string, ...given: unknown[]): string {
  return filled(get().language === "fr" ? french(text) : text, given);
}

/** `say` in a component, which is drawn again when the language changes. */
export function useWords(): typeof say {
  useStore((s) => s.language);
  return say;
}
