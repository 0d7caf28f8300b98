print("swiftboard")
