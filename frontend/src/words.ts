// French for the words of the page; English is what stands in the code.

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
  "Exact motion": "Mouvement exact", "Computed torque": "Couple calculé", "PD with gravity": "PD avec gravité", PID: "PID", quintic: "degré 5",
  cubic: "degré 3", septic: "degré 7", trapezoid: "trapèze", "bang-bang": "bang-bang", Controller: "Commande", Profile: "Profil", duration: "durée",
  "frequency of the controller": "pulsation de la commande", "off by": "écart", "how far from the start the motors begin": "écart des moteurs au départ",
  "Start here": "Départ ici", "Start: chosen": "Départ choisi", Simulate: "Simuler", running: "en cours", "of the configuration before": "de la configuration précédente",
  Errors: "Erreurs", Curves: "Courbes", time: "temps", speed: "vitesse", "Play the motion": "Jouer le mouvement", floating: "flottante", mobile: "mobile",
  Platform: "Plateforme", platform: "plateforme", Motors: "Moteurs", Attachments: "Attaches", attachment: "attache", leg: "jambe", value: "valeur", Parallel: "Parallèles",
  spherical: "sphérique", universal: "cardan", revolute: "pivot", fixed: "fixe", "Legs closed": "Jambes fermées", "legs are being solved": "calcul des jambes",
  "a leg cannot reach there": "une jambe n'y parvient pas", "back to the home pose": "retour à la pose initiale", "not for parallel robots": "pas pour les robots parallèles",
  "This robot is shown as its file has it: change the file and drop it again.": "Ce robot est montré tel que dans son fichier : modifier le fichier et le déposer à nouveau.",
  "solved by numbers": "résolution numérique", "general method, by numbers": "méthode générale, numérique", complete: "toutes", incomplete: "peut-être pas toutes",
  unreachable: "hors d'atteinte", "at most": "au plus",
  "back to the origin": "retour à l'origine", pose: "situation",
  "spherical wrist": "poignet sphérique", "base parameters": "paramètres de base", "have no effect or regroup": "sans effet ou regroupés",
};

export function say(text: string): string {
  return get().language === "fr" ? (FRENCH[text] ?? text) : text;
}

/** `say` in a component, which is drawn again when the language changes. */
export function useWords(): (text: string) => string {
  useStore((s) => s.language);
  return say;
}
